"""AMSGrad moves parameters as torch's own does."""

import torch

from orthonet.embedding.amsgrad import AMSGrad


def test_it_takes_the_steps_of_torch():
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(5, 3, generator=generator)
    ours, theirs = (start.clone().requires_grad_() for _ in range(2))
    unused = torch.ones(2, requires_grad=True)
    optimiser, twin = AMSGrad([ours, unused], 0.01), torch.optim.Adam([theirs], lr=0.01, amsgrad=True)
    for step in range(30):
        target = torch.randn(5, 3, generator=generator) * (
            10 if step == 3 else 1
        )  # a large gradient, which v must remember
        for parameter, one in ((ours, optimiser), (theirs, twin)):
            one.zero_grad()
            (parameter - target).pow(2).sum().backward()
            one.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-7)
    assert (ours - start).abs().min() > 0
    assert unused.tolist() == [1, 1]
    assert optimiser.state[ours].keys() == twin.state[theirs].keys()
