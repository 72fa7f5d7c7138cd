"""The pipeline contract, which a RAG application imports into its request path: below a threshold nothing is written.

Light: neither numpy nor a judge is loaded before a judge is asked.
"""

from ragassay.contract.admission import Admissible
from ragassay.contract.asking import Counts
from ragassay.contract.contract import Contract, contract_hash
from ragassay.contract.judges import Judges
from ragassay.contract.recording import Recorder
from ragassay.contract.request import Reply, Request
from ragassay.formats.contract import load_terms

__all__ = [
    "Admissible",
    "Contract",
    "Counts",
    "Judges",
    "Recorder",
    "Reply",
    "Request",
    "contract_hash",
    "load_terms",
]
