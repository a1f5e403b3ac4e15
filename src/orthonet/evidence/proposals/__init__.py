"""Proposals: partitions that cheap methods suggest, for evidence to mend and to choose among."""

from orthonet.evidence.proposals.registry import PROPOSALS, Proposal, propose

__all__ = ["PROPOSALS", "Proposal", "propose"]
