"""The decision transformer: what it sees, and what it does not."""

import torch

from mirada.models.policy import build_policy
from mirada.models.policy_config import PolicyConfig


def test_an_action_follows_from_the_past_its_return_and_its_state_alone() -> None:
    config = PolicyConfig.model_validate({"width": 8, "feed_forward": 12, "stack": {"layers": 2, "heads": 2}})
    model = build_policy(config, 3, 5, 7, 6.0, seed=1).eval()
    draw = torch.Generator().manual_seed(2)
    returns, states = torch.rand(2, 7, generator=draw), torch.rand(2, 7, 3, generator=draw)
    actions = torch.randint(5, (2, 7), generator=draw)
    said = model(returns, states, actions)
    assert said.shape == (2, 7, 5)
    later = [one.clone() for one in (returns, states, actions)]
    later[0][:, 4:], later[1][:, 4:], later[2][:, 3:] = 9, 9, 0
    torch.testing.assert_close(model(*later)[:, :4], said[:, :4])
    for number in range(3):  # but each of the three is looked at
        changed = [one.clone() for one in (returns, states, actions)]
        changed[number][:, 2] = (changed[number][:, 2] + 1) % 5
        assert not torch.allclose(model(*changed)[:, 3], said[:, 3])
    torch.testing.assert_close(model(returns[:, :4], states[:, :4], actions[:, :4]), said[:, :4])
    game, stepped = None, []
    for step in range(7):
        scores, game = model.step(returns[:, step], states[:, step], game, actions[:, step - 1])
        stepped.append(scores)
    torch.testing.assert_close(torch.stack(stepped, 1), said)
