"""Abbreviations written with a full stop, by what may follow the stop. Lower case, without the last stop."""


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# A sentence never ends here: titles, Latin connectives, addresses before a name.
ALWAYS_INSIDE = _words(
    "dr mr mrs ms prof st gen gov sen rep rev hon capt col lt sgt messrs mme mlle vs cf e.g i.e eg ie viz approx ca",
    "dept univ assn incl resp",
    "т.е т.к т.н см ср напр им проф акад доц тов гр г-н г-жа св инж зам зав ред ул просп пр-т пер пл наб бул ш обл р-н",
    "г с р пос дер о-в оз лат англ нем фр греч итал исп букв юр физ гос ум и.о тел дж",
)

# Inside a sentence only before a number or numeral: "Fig. 2", "ст. 12".
BEFORE_NUMBER = _words(
    "fig figs eq eqs no nos sec sect ch chap vol pp p art arts par para tab ex ref refs ver pt app cl reg",
    "jan feb mar apr jun jul aug sep sept oct nov dec",
    "п пп пт ст ч чч гл стр рис табл д кв корп оф эт прил разд абз прим т тт подп стр-е каб ком ауд вып изд",
)

# May close a sentence: then a capital letter follows.
MAY_END = _words(
    "etc al inc ltd co corp plc jr sr a.m p.m am pm est ed eds",
    "др пр т.д т.п н.э гг вв тыс млн млрд трлн руб коп долл проц кг мг км см2 куб у.е с.г ч.т.д",
)

# A measure after a number ("2024 г.", "XIX в.", "287 с."), something else elsewhere ("г. Минск").
COUNTED = _words("г гг в вв с стр ч м д р к л т мин сек час нед мес шт чел см мм га ст эт кв p pp")

# Words that begin a sentence and are no surname: what follows "vitamin C." or "the U.S."
SENTENCE_OPENERS = _words(
    "the a an this that these those it its he she they we you i there here in on at by for from with without as if",
    "when while after before since until because although however therefore then also but and or so no not only all",
    "each every some many most what which who where why how do does did is are was were can could may must should will",
    "would see use please note his her their our your my both one two under to of",
    "он она оно они мы вы я это этот эта эти тот та те его её их наш ваш в во на по за из от до для с со при о об к у",
    "без под над через если когда хотя но а и или также однако поэтому затем потом потому так как что кто где куда",
    "сколько почему не нет да все каждый любой при после перед согласно срок см",
)
