"""What the operators of attention ask of their tensors alike. Each function gives what is wrong, in words, or None, so that
`types(..) or axes(..)` is the first thing that is wrong; later checks may rely on earlier ones."""
import torch

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


def head(cells, most=128, step=1):
    """most, step: of the kernels."""
    if 0 < cells <= most and cells % step == 0:
        return None
    return f"head dimension {cells} is not supported: {f'1 to {most}' if step == 1 else f'multiples of {step} up to {most}'} are"


def shared_heads(q, k, enable_gqa):
    if q.shape[1] != k.shape[1] and not (enable_gqa and q.shape[1] % k.shape[1] == 0):
        return "the heads of q must be those of k, or with enable_gqa a multiple"
    return None


def positive(scale, name="scale"):
    return f"{name} must be positive" if scale is not None and scale <= 0 else None


def wants_gradients(*tensors):
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


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
