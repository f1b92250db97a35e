"""Which resources are accelerators, the ones that people count and pay for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What the names of accelerators have in them: `nvidia.com/gpu`, `nvidia.com/mig-1g.5gb`, `google.com/tpu`,
#: `aws.amazon.com/neuron`, `habana.ai/gaudi`, `huawei.com/Ascend910`, `cloud-tpus.google.com/v3`, `gpu.intel.com/xe`.
_PARTS: Final = ("gpu", "/mig-", "tpu", "neuron", "gaudi", "npu", "ascend", "/xpu")


def accelerators(amounts: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some amounts of resources that are of accelerators; other devices, as network cards, are none."""
    return {
        name: amount for name, amount in amounts.items() if "/" in name and any(part in name.lower() for part in _PARTS)
    }
