"""To which headings of two frameworks the evidence of a control speaks. It claims no conformity with either."""

from ragassay.records.acceptance import ControlName, Framework, Heading

MAP_CLAIMS = (
    "The headings say where an auditor may look for this evidence. They claim no conformity: no framework is met by a"
    " report, most of what both ask lies outside any measurement, and nobody of either body has seen this map."
)

_NIST: Framework = "NIST AI RMF 1.0"
_ISO: Framework = "ISO/IEC 42001:2023"
_PARTS: dict[ControlName, tuple[tuple[Framework, str, str], ...]] = {
    "scope": (
        (_NIST, "MAP 1.1", "the purpose and the setting of use are understood and written down"),
        (_NIST, "MEASURE 1.1", "metrics are chosen, and what cannot be measured is written down"),
        (_ISO, "A.6.2.2", "AI system requirements and specification"),
        (_ISO, "A.9.4", "intended use of the AI system"),
    ),
    "data": (
        (_NIST, "MAP 2.3", "how tests are designed and their data chosen is written down"),
        (_NIST, "MEASURE 2.1", "test sets, metrics and tools are documented"),
        (_ISO, "A.7.4", "quality of data for AI systems"),
        (_ISO, "A.7.5", "data provenance"),
    ),
    "control": (
        (_NIST, "MEASURE 2.7", "security and resilience are evaluated"),
        (_NIST, "MAP 2.2", "the limits of what the system knows are written down"),
        (_ISO, "A.6.2.4", "AI system verification and validation"),
    ),
    "evidence": (
        (_NIST, "MEASURE 2.13", "it is evaluated whether the measuring itself works"),
        (_NIST, "MEASURE 4.2", "domain experts inform the results"),
        (_ISO, "7.5", "documented information"),
        (_ISO, "9.1", "monitoring, measurement, analysis and evaluation"),
    ),
    "quality": (
        (_NIST, "MEASURE 2.3", "performance is shown for conditions like those of use"),
        (_NIST, "MEASURE 2.5", "the system is shown to be valid and reliable, with its limits"),
        (_ISO, "A.6.2.4", "AI system verification and validation"),
    ),
    "release": (
        (_NIST, "MANAGE 1.1", "it is decided whether development or deployment goes on"),
        (_NIST, "GOVERN 2.1", "roles and responsibilities are written down"),
        (_ISO, "A.6.2.5", "AI system deployment"),
    ),
}


def headings(control: ControlName) -> tuple[Heading, ...]:
    return tuple(Heading(framework=part[0], number=part[1], about=part[2]) for part in _PARTS[control])
