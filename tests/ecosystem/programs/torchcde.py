"""A controlled differential equation along a spline."""

import torch
import torchcde

torch.manual_seed(0)
times = torch.linspace(0, 1, 6)
x = torch.cat([times[None, :, None].expand(2, 6, 1), torch.randn(2, 6, 1)], -1)
spline = torchcde.CubicSpline(torchcde.hermite_cubic_coefficients_with_backward_differences(x))
print(spline.evaluate(torch.tensor(0.35)), spline.derivative(torch.tensor(0.35)))


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 6)

    def forward(self, t, z):
        return self.layer(z).tanh().view(-1, 3, 2)


field = Field()
z = torchcde.cdeint(
    X=spline,
    func=field,
    z0=torch.zeros(2, 3),
    t=spline.interval,
    adjoint=False,
    method="rk4",
    options={"step_size": 0.2},
)
z.square().sum().backward()
print(z, field.layer.weight.grad)
print(
    torchcde.logsig_windows
    if hasattr(torchcde, "nothing")
    else torchcde.LinearInterpolation(torchcde.linear_interpolation_coeffs(x)).evaluate(0.5)
)
