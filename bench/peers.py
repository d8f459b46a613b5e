"""FlashAttention-4 as a peer: its Hopper kernels, where its wheels can be imported (flash-attn-4, quack-kernels, nvidia-cutlass-dsl
with its -libs-core, -libs-base and -libs-cu13). Kernels are compiled at the first call for a head dimension and mask."""
try:
    from flash_attn.cute import flash_attn_func
    from flash_attn.cute.interface import _flash_attn_bwd
except ImportError:
    flash_attn_func = None


def turned(*tensors):
    """Tensors [B, H, N, D] as [B, N, H, D] and back, by their strides."""
    return [t.transpose(1, 2) for t in tensors]


def flash_attention_4(q, k, v, causal):
    """A call that gives O, or None where it cannot be imported."""
    if flash_attn_func is None:
        return None
    views = turned(q, k, v)

    def call():
        result = flash_attn_func(*views, causal=causal)
        return turned(result[0] if isinstance(result, tuple) else result)[0]

    return call


def flash_attention_4_backward(q, k, v, o, do, lse, causal, deterministic=False):
    """A call that gives dQ, dK, dV, or None where it cannot be imported; lse [B, H, N] is in natural logarithms."""
    if flash_attn_func is None:
        return None
    q, k, v, o, do = turned(q, k, v, o, do)
    return lambda: turned(*_flash_attn_bwd(q, k, v, o, do, lse, causal=causal, deterministic=deterministic))
