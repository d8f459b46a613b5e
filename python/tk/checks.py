"""What the operators of attention ask of their tensors alike. Each function gives what is wrong, in words, or None, so that
`types(..) or axes(..)` is the first thing that is wrong; what stands further right may rely on what stands before it."""
import torch

_WIDE = (192, 256)  # beside multiples of 16 up to 128
_NUMBERS = {3: "three", 4: "four"}


@torch.compiler.assume_constant_result
def is_hopper(index):
    return torch.cuda.get_device_capability(index) == (9, 0)


def emulated(q, *others):
    """Tensors on a Hopper GPU, or on the CPU."""
    devices = {x.device for x in (q, *others)}
    if len(devices) > 1:
        return f"q, k and v must be on one device, got {', '.join(map(str, sorted(devices, key=str)))}"
    if q.is_cuda and not is_hopper(q.device.index):
        return "tensors must be on a GPU of compute capability 9.0, or on the CPU, which emulates it"
    return None


def types(q, k, v):
    if q.dtype not in (torch.bfloat16, torch.float16) or k.dtype != q.dtype or v.dtype != q.dtype:
        return "q, k and v must be all bfloat16 or all float16"
    return None


def axes(q, k, v, names):
    if any(x.dim() != len(names) for x in (q, k, v)):
        return f"q, k and v must have {_NUMBERS[len(names)]} axes, [{', '.join(names)}]"
    return None


def head(cells, most=128):
    """most: of the kernels."""
    return None if 0 < cells <= most else f"head dimension {cells} is not supported: 1 to {most} are"


def head_of_16(cells, most=128):
    """Of kernels whose tiles are as wide as a head."""
    if cells in _WIDE and cells <= most or 0 < cells <= 128 and cells % 16 == 0:
        return None
    wide = "" if most == 128 else ", 192 and 256"
    return f"head dimension {cells} is not supported: multiples of 16 up to 128{wide} are"


def shared_heads(q, k, enable_gqa):
    if q.shape[1] != k.shape[1] and not (enable_gqa and q.shape[1] % k.shape[1] == 0):
        return "the heads of q must be those of k, or with enable_gqa a multiple"
    return None


def positive(scale, name="scale"):
    return f"{name} must be positive" if scale is not None and scale <= 0 else None


def wants_gradients(*tensors):
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


def gradients(cells):
    """Of packed sequences: whether the head dimension has them."""
    if cells <= 96 or cells == 128:
        return None
    return f"there are no gradients for head dimension {cells}: multiples of 16 up to 96, and 128, have them"


def first_derivatives_only(name):
    """What runs where a gradient of a gradient is wanted."""
    def refuse(ctx, *given):
        raise RuntimeError(f"{name} of tk.torch has first derivatives only")
    return refuse


def any_order():
    """Of gradients whose sums are made in an open order."""
    if torch.are_deterministic_algorithms_enabled():
        return "the last bits of the gradients differ from run to run, and torch.use_deterministic_algorithms is on"
    return None
