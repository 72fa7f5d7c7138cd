"""The wording of refusals, as data: one regular expression for each named form.

All are searched in a clause in lower case, with straight apostrophes, single spaces, `е` for `ё`, and `«»` in the place
of quoted speech. Gaps are bounded, so that a search takes linear time.
"""

import re


def compiled(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form) for form in forms)


def _gap(most: int) -> str:
    """Up to `most` words between two parts of a form."""
    return rf"(?:\S+ ){{0,{most}}}"


_NOT_EN = r"(?:do not|don't|dont|does not|doesn't|did not|didn't)"
_CANNOT_EN = (
    r"(?:cannot|can not|can't|cant|could not|couldn't|(?:am|'m|are|'re|was"
    r"|were)(?: currently)? (?:not able|unable) to"
    r"|(?:wasn't|weren't|aren't) able to|won't be able to|will not be able to|wouldn't be able to"
    r"|have not been able to"
    r"|haven't been able to|have been unable to)"
)
_I_EN = r"\b(?:i|i've|i'm|we|we've|we're)"
SOURCES_EN = (
    r"(?:documents?|documentation|docs|contexts?|passages?|sources?|texts?|articles?|materials?|excerpts?"
    r"|snippets?|pages"
    r"|search results?|knowledge base|(?:provided|given|available|retrieved|supplied|above) (?:information"
    r"|data|files?|content)"
    r"|(?:information|data|content|files?) (?:provided|given|available|retrieved|supplied|above|i have)|references)"
)
_SILENT_EN = (
    r"(?:contain|mention|provide(?! for)|include|say(?! «)|specify|state|give|answer|address|cover|discuss"
    r"|offer|indicate"
    r"|list|describe|explain|tell|identify|disclose|reveal|clarify|detail|report|show|refer to|talk about"
    r"|have (?:any |the "
    r"|enough |sufficient |specific )?(?:information|details?|answers?|data|mention))"
)
_FACTS_EN = (
    r"(?:information|info|details?|data|answers?|mention|reference|context|evidence|indication|knowledge|documentation)"
)

REFUSALS_EN = compiled(
    # "I don't know", "we do not really know"
    rf"{_I_EN} (?:really |honestly |just |currently |simply )?{_NOT_EN} (?:\w+ly )?know\b(?! (?:(?:a"
    r"|any) (?:better|other)|of any)\b)",
    # "I don't have that information", "I have no information", "I lack the data"
    rf"\bi (?:\w+ly )?{_NOT_EN} (?:\w+ly )?have\b(?! (?:to|any (?:doubt|objection|complaint))\b)",
    rf"\bwe (?:\w+ly )?{_NOT_EN} (?:\w+ly )?have {_gap(4)}(?:{_FACTS_EN}|documents?)\b(?! plan)",
    rf"{_I_EN} (?:\w+ly )?(?:have no|lack|have insufficient) {_gap(3)}(?:{_FACTS_EN}|access|idea"
    r"|way of knowing|knowledge)\b",
    # "I cannot answer", "I'm unable to find that", "I was not able to locate"
    rf"\b(?:i|i'm|i've)[ ,](?:[\w']+ )?{_CANNOT_EN} (?:\w+ly )?(?:answer|assist|provide|locate|determine"
    r"|give|tell|confirm"
    r"|verify|offer|respond|comment|identify|access|disclose|share|discuss|comply|fulfil|fulfill|supply"
    r"|establish|advise"
    r"|retrieve|generate|create|process|speak|explain|describe|calculate|estimate|clarify|specify|make"
    r"|do (?:that|this)|complete|process|infer|deduce|conclude|engage|support|reveal"
    rf"|say (?:whether|if|how|what|when|where|which|who|why|anything|for|with certainty|exactly|definitively)\b"
    rf"|see (?:that|this|any|it|such|the) |help\b(?! but| \w+ing )|recommend\b(?! (?:it|this|them|\w+ \w+) enough)"
    r"|find\b(?! (?:fault|my\b|(?:any|a|an|the) (?:\w+ )?(?:errors?|mistakes?|problems?|issues?|bugs?"
    r"|faults?|reasons?|contradictions?))))",
    # The same of "we", where a company's rule ("we cannot give refunds") is an answer.
    rf"\b(?:we|we're|we've) (?:\w+ly )?{_CANNOT_EN} (?:\w+ly )?(?:answer (?:that|this|the|your)|determine|find|locate"
    r"|tell (?:whether|if|from)|help (?:you )?with (?:that|this|your (?:question|request))"
    r"|make a .{0,30}comparison)",
    # "I did not find", "I found nothing"
    rf"{_I_EN} (?:did not|didn't|have not|haven't) (?:found|find|located?|see|seen|come across)\b(?! (?:fault|my\b"
    rf"|(?:any|a|an|the) (?:\w+ )?(?:errors?|mistakes?|problems?|issues?|bugs?|faults?|reasons?|contradictions?)))",
    rf"{_I_EN} (?:have )?(?:found|see|find) (?:nothing|no (?:\w+ ){{0,2}}(?:{_FACTS_EN}|documents?|results?"
    r"|passages?|sources?))\b",
    # "I won't answer", "I must decline", "I'd rather not say"
    r"\bi (?:must|have to|will have to|need to|respectfully|would|am going to|'ll have to)? ?(?:decline"
    r"|refuse|abstain|pass on)\b",
    r"\b(?:i|i'd|i'll) (?:will not|won't|would rather not|rather not|prefer not to|would prefer not to"
    r"|am not going to"
    r"|am not allowed to|'m not allowed to|am not permitted to|am not authorized to|am not authorised to"
    r"|shouldn't|should not)"
    r" (?:answer|help|assist|provide|discuss|say|comment|share|give|disclose|reveal|speculate|comply|engage)",
    r"\bi(?: am|'m) not (?:allowed|permitted|authorized|authorised|at liberty|in a position|comfortable"
    r"|sure|certain|aware"
    r"|familiar|qualified|equipped)\b(?! to say that)",
    # "That isn't something I can help with", "there is nothing I can do"
    r"(?:isn't|is not|not) (?:something|a thing|anything|one|a (?:topic|question"
    r"|request)) (?:that )?i(?:'m| am)? (?:can|could|able)\b",
    # "That is beyond my knowledge", "outside the scope of the documents"
    r"\b(?:beyond|outside)(?: of)? (?:my|the (?:scope|limits|bounds) of (?:my|the|these"
    rf"|this) {_gap(2)}(?:{SOURCES_EN}|knowledge"
    r"|expertise|assistant|capabilities|abilities)|what i (?:can|know|have))",
    # "The documents do not mention …", "none of the passages says", "they fail to state"
    rf"\b{SOURCES_EN}\b.{{0,120}}?\b{_NOT_EN} (?:\w+ ){{0,2}}?{_SILENT_EN}",
    rf"\b{SOURCES_EN}\b.{{0,60}}?\b(?:fails?|failed) to {_SILENT_EN}",
    rf"\b{SOURCES_EN}\b.{{0,60}}?\b(?:is|are) silent (?:on|about)",
    rf"\b{SOURCES_EN}\b.{{0,40}}?\b(?:makes?|contains?|includes?|provides?|has|have|gives?"
    rf"|offers?) no {_gap(3)}{_FACTS_EN}\b",
    rf"\b(?:none|neither) of (?:the|these|those|my|your) {_gap(3)}{SOURCES_EN} {_gap(3)}(?:{_SILENT_EN}"
    r"|contains|mentions"
    r"|provides|includes|says|specifies|states|gives|answers|addresses|covers|discusses|indicates"
    r"|describes|is about)",
    rf"\bnone of (?:them|these|those) (?:\w+ ){{0,2}}?(?:{_SILENT_EN}|contains|mentions|provides|specifies"
    r"|states|gives|answers)",
    r"\bno (?:provided |given |relevant |such )?(?:documents?|passages?|contexts?"
    rf"|sources?) {_gap(2)}(?:contains?|mentions?"
    r"|provides?|includes?|says?|specif(?:y|ies)|states?|answers?|address(?:es)?|covers?|discuss(?:es)?|describes?)",
    # "they do not specify it", after the documents were named
    rf"\bthey {_NOT_EN} (?:\w+ ){{0,2}}?{_SILENT_EN}|\b(?:it|this|that) {_NOT_EN} (?:\w+ly )?(?:mention"
    r"|specify|address|answer)\b",
    # "It is not mentioned in the documents", "the answer is not present"
    rf"(?:is|are|was|were|isn't|aren't|wasn't)(?: not|n't)? {_gap(2)}?(?:mentioned|stated|specified"
    r"|provided|given|found"
    r"|present|included|available|addressed|covered|described|discussed|listed|indicated|answered"
    r"|explained|disclosed)"
    rf"(?: \w+){{0,3}}? (?:in|by|within|from|among) {_gap(4)}{SOURCES_EN}",
    rf"\b(?:based on|according to|in|from) {_gap(3)}{SOURCES_EN}(?: \w+)?, .{{1,120}}? (?:is|are|was"
    r"|were) not (?:\w+ )?"
    r"(?:mentioned|specified|stated|provided|given|included)\W*$",
    r"\b(?:answer|information|info|details?)(?: \w+){0,8}? (?:is|are|was|were) (?:not|n't"
    r"|never) (?:\w+ )?(?:present|available|found"
    r"|provided|given|mentioned|stated|specified|included|in (?:the|my|these|any))\b",
    rf"\b(?:information|answer|that|this|it)(?: is not| isn't|'s not) (?:\w+ )?in {_gap(3)}{SOURCES_EN}"
    rf"|\b(?:not |un)clear from {_gap(3)}{SOURCES_EN}",
    r"\b(?:answer|information)(?: \S+){0,6}? is (?:currently )?unavailable\b",
    r"\bno,? (?:the )?answers? (?:is |are |was )?(?:present|found|available|provided|given)\b",
    # "There is no information about …", "no mention of it in the text"
    r"\bthere(?: is| are|'s)(?: no|n't any| not any| not enough|n't enough|n't sufficient| insufficient"
    r"| not sufficient) "
    r"(?:\w+ ){0,3}?(?:information|info|mention|answer|details? (?:about|on))\b",
    rf"\b(?:no|not any|nothing|not enough|insufficient) {_gap(4)}(?:in|from|within|among) {_gap(3)}{SOURCES_EN}\b",
    r"\b(?:no|nothing) (?:\w+ ){0,3}?(?:information|answers?|results?|matches|documents?|passages?|data"
    r"|relevant|suitable|matching"
    r")(?: \w+){0,4}? (?:found|available|retrieved)\b",
    rf"\b(?:not enough|insufficient|not sufficient|no sufficient|isn't enough|lack of) (?:\w+ ){{0,2}}?{_FACTS_EN} "
    r"(?:\w+ ){0,3}?(?:to (?:answer|say|tell|determine|conclude|respond|give|provide|form|make)|available"
    r"|provided|given)",
    # "The question cannot be answered", "it cannot be determined from the text"
    r"\b(?:question|query|answer|information|request|this|it|that)(?: \S+){0,14}? (?:cannot|can't"
    r"|can not|could not|couldn't) be "
    r"(?:answered|found|located|provided|inferred|deduced)\b",
    r"\b(?:cannot|can't|could not|not possible to|impossible to) (?:be )?(?:determined?|established?"
    r"|confirmed?|inferred?|answer(?:ed)?"
    rf"|say|tell|conclude|verify|verified) .{{0,80}}?(?:from|based on|with|using|in) {_gap(4)}{SOURCES_EN}",
    r"\b(?:answer|question|query) .{0,100}?\bis (?:«»|unknown|unanswerable)\W*$|\bis unanswerable\b",
)

# A clause that consists of nothing else: "Not mentioned.", "No idea", "Unable to answer this question."
WHOLE_REFUSALS_EN = compiled(
    r"(?:(?:i am |i'm )?(?:sorry|unfortunately|no|yes|well|but|and|so|still|answer|a"
    r"|the answer is)[,.: -]*)*(?:unanswerable|no idea|don't know"
    r"|do not know|dunno|idk|i don't know|no answer(?: \w+){0,2}|n/?a|unknown|unclear|no information"
    r"|no data|no results?"
    r"|not sure|no comment|nothing (?:relevant |suitable )?found|(?:not|never) (?:mentioned|stated"
    r"|specified|provided|given"
    r"|found|available|answerable|disclosed|enough \w+|in (?:the )?\w+)(?: (?:in|by"
    r"|from) (?:\w+ ){0,4}\w+)?|no (?:\w+ )?(?:information|results?|matches"
    r"|documents?|answer|match|data|mention)(?: \w+){0,3}|insufficient (?:information|context|data"
    r"|evidence)(?: \w+){0,4})\W*",
    r"(?:(?:sorry|unfortunately|but|and|so|still)[,.: -]*)*(?:unable to|cannot|can't|can not|couldn't"
    r"|could not) (?:answer|respond|generate|help|find|determine|say|tell"
    r"|provide|assist|locate|comply|be determined|be answered)(?: (?!if\b|unless\b)\S+){0,10}\W*",
)

_CANNOT_RU = r"не (?:могу|смогу|имею права|имею возможности)"
_DID_NOT_RU = (
    r"не (?:смог|смогла|сумел|сумела|в состоянии|в силах|вправе|уполномочен\w*|готова?|получилось|удалось"
    r"|удается|получается)"
)
_ANSWER_VERBS_RU = (
    r"(?:ответить|отвечать|помочь|помогать|найти|подсказать|дать|давать|предоставить|предоставлять"
    r"|определить|назвать|сообщить"
    r"|подтвердить|указать|уточнить|обнаружить|установить|выполнить|обсуждать|комментировать"
    r"|прокомментировать|посоветовать"
    r"|раскрыть|раскрывать|судить|проверить|выяснить|отыскать|разглашать|поделиться|сделать это"
    r"|сделать вывод|привести"
    r"|рекомендовать|говорить об|предложить|вам помочь|сказать(?!,? что (?!именно|будет|стало|такое|входит)))"
)
_FACTS_RU = (
    r"(?:информаци[ияюей]+|данны[ех]|сведени[йяе]|ответ[аы]?|упоминани[йяе]|указани[йяе]"
    r"|деталей|подробност[ией]+|документ(?:а|ов)|описани[яей])"
)
_SOURCES_IN_RU = (
    r"(?:документ(?:ах|е|ации)|контекст(?:ах|е)|источник(?:ах|е)|материал(?:ах|е)|баз(?:е|ах)(?: знаний"
    r"| данных)?|текст(?:ах|е)"
    r"|фрагмент(?:ах|е)|отрывк(?:ах|е)|статьях|статье|файл(?:ах|е)|пассаж(?:ах|е)|выдаче|результатах"
    r"|предоставленн(?:ых|ом|ой)"
    r"|найденн(?:ых|ом)|справк(?:ах|е)|доступн(?:ых|ой) \w+|информации|данных)"
)
_SOURCES_ARE_RU = (
    r"(?:документы?|документация|контексты?|источники|предоставленн\w+ \w+|приведенн\w+ \w+|данн(?:ый"
    r"|ые) (?:текст|отрыв\w+|фрагмент\w*)"
    r"|найденн\w+ \w+|доступн\w+ \w+|материалы|тексты?|фрагменты?|отрыв(?:ок|ки)|база знаний|статьи)"
)
_SILENT_RU = (
    r"(?:содерж\w+|упомина\w+|упомянут\w*|указ\w+|говор\w+|сказано|описыва\w+|описан\w*|дают?|дает"
    r"|отвеча\w+|сообща\w+|раскры\w+"
    r"|приводи?\w*|приведен\w*|включа\w+|освеща\w+|уточня\w+|позволя\w+|предоставл\w+|представлен\w*"
    r"|найден\w*|обнаружен\w*"
    r"|находится|нашлось|нашел|нашла|нашли|прописан\w*|отражен\w*|встреча\w+|обознача\w+|обозначен\w*|рассматрива\w+"
    r"|есть|имеется|удалось найти|оказал\w+|назван\w*|фигурир\w+|хватает|присутству\w+)"
)
_HARMLESS_RU = r"(?! (?:\w+ )?(?:ошиб|опечат|противореч|вирус|нарушен|персональн|подпис|хлор))"

REFUSALS_RU = compiled(
    # «не знаю», «не располагаю сведениями», «у меня нет данных», «мне неизвестно»
    r"(?<!\w)(?:не знаю|не в курсе|понятия не имею|не уверен\w*)\b(?! (?:лучшего|никого|лучше)\b)",
    r"(?:^|\b(?:я|мы|но|и|к сожалению|пока|увы),? )(?:\w+ )?не (?:располага\w+|облада\w+|владе\w+|име(?:ю"
    rf"|ем)) {_gap(3)}"
    r"(?:информаци\w+|данны\w+|сведени\w+|ответ\w*|доступ\w*|знани\w+)",
    r"\bу (?:меня|нас) (?:\w+ ){0,3}?(?:нет|отсутству\w+|не имеется|недостаточно"
    rf"|не хватает)(?: \S+){{0,4}}? {_FACTS_RU[:-1]}|доступа|знаний|контекста|точного|ответа)",
    r"\bу меня (?:\w+ )?нет (?:такой|такого|этой|этого|никакой|возможности|права|точной|точных)\b",
    r"\bмне (?:\w+ ){0,3}?не ?извест\w+",
    # «не могу ответить», «не смог найти», «помочь не могу», «затрудняюсь»
    rf"{_CANNOT_RU} (?!не )(?:(?!если|что)\S+ ){{0,5}}?{_ANSWER_VERBS_RU}" + _HARMLESS_RU,
    rf"\b{_ANSWER_VERBS_RU} (?:\S+ ){{0,4}}?не (?:могу|смогу|готова?|получится|удалось|берусь)\b",
    r"\bмы не (?:можем|сможем|смогли) (?:\S+ ){0,3}?(?:ответить на|найти|определить|дать (?:\w+ )?ответ"
    r"|сказать(?!,? что ))",
    r"\b(?:ничем|ничего) (?:\w+ )?не (?:могу|смогу|можем)\b|\bс этим (?:\w+ )?не (?:могу|смогу)\b"
    r"|\bне могу (?:с этим|этого сделать)\b",
    r"(?:^|\bя\b.{0,40}|[,:;] |\bно |\bи |\bмне )(?:(?:пока|также|никак|так и"
    rf"|увы) )?{_DID_NOT_RU} (?!не )(?:(?!если|что)\S+ ){{0,5}}?{_ANSWER_VERBS_RU}" + _HARMLESS_RU,
    r"\bзатрудняюсь\b|\bвоздерж(?:усь|иваюсь)\b|\bне берусь (?:судить|сказать|ответить)"
    r"|\bне буду (?:отвечать|обсуждать|комментировать)"
    r"|\b(?:вынужден\w*|должен|должна|приходится) (?:вам )?отказать|\bотказываюсь (?:отвечать|обсуждать)",
    r"\b(?:этот|ваш|данный) (?:вопрос|запрос) (?:выходит|лежит|находится) (?:за|вне)|\b(?:выходит|вне"
    r"|за) (?:\w+ )?(?:рамк\w+|предел\w+|"
    r"област\w+) (?:моих|моей|моего|документ\w*|доступн\w+|предоставлен\w+)",
    # «не нашёл в документах», «я не вижу ответа»
    r"(?<!если )\bне (?:нашел|нашла|нашли|нашлось|обнаружил\w*|вижу|встретил\w*|отыскал\w*)\b"
    + _HARMLESS_RU
    + rf"(?: \S+){{0,6}}? (?:в(?:о|о всех)? (?:\S+ ){{0,3}}?{_SOURCES_IN_RU}|{_FACTS_RU}|этого|ничего"
    r"|подходящ\w+|релевант\w+|точного|нужн\w+|конкретн\w+)",
    rf"\bни (?:в )?(?:одном|один|одного) (?:из )?(?:\w+ )?(?:{_SOURCES_IN_RU}|документ\w*|контекст\w*"
    r"|источник\w*|фрагмент\w*|отрыв\w*|текст\w*)(?: \S+){0,4}? не ",
    # «в документах нет информации», «в контексте не указано»
    rf"\bв(?:о)? (?:\S+ ){{0,3}}?{_SOURCES_IN_RU}(?: \S+){{0,8}}? (?:нет|отсутству\w+|недостаточно"
    rf"|не хватает) (?:\S+ ){{0,3}}?{_FACTS_RU[:-1]}|ответа|ничего|об этом)",
    rf"\bв(?:о)? (?:\S+ ){{0,3}}?{_SOURCES_IN_RU}(?:,? \S+){{0,8}}?,? (?:ничего |прямо |явно |этого "
    rf"|нигде )*не {_SILENT_RU}" + _HARMLESS_RU,
    rf"\bв(?:о)? (?:\S+ ){{0,3}}?{_SOURCES_IN_RU}(?: \S+){{0,3}}? (?:этого|этой \w+|такого|такой \w+"
    r"|таких \w+|ответа) нет\b",
    rf"\b{_FACTS_RU}(?: \S+){{0,10}}? (?:нет|отсутству\w+"
    rf"|не {_SILENT_RU})(?: \S+)?(?: в(?:о)? (?:\S+ ){{0,3}}?{_SOURCES_IN_RU}|\W*$)",
    # «документы не содержат», «предоставленный контекст не отвечает»
    rf"(?<!\w){_SOURCES_ARE_RU}(?: \S+){{0,4}}? не (?:\w+ )?{_SILENT_RU}" + _HARMLESS_RU,
    # «по документам невозможно определить», «…, но не указано когда»
    r"\b(?:на основании|на основе|по|из|исходя из|согласно) (?:\S+ ){0,3}?(?:документ|контекст|текст"
    r"|источник|материал|фрагмент|данн)\w* (?:\S+ ){0,3}?"
    r"(?:невозможно|нельзя|не представляется|не удалось|не получается) (?:\S+ ){0,2}?(?:ответ|опред|устан"
    r"|сказать|дать|сдел|найти|выясн|узна)",
    r"\b(?:по|из) (?:\S+ ){0,3}?(?:документ|контекст|текст|источник|материал"
    r"|фрагмент)\w* (?:\S+ ){0,4}?(?:нельзя|невозможно|не ?ясно|не ?понятно|не видно)",
    r"\b(?:вопрос|тема|аспект|пункт)\w* (?:\S+ ){0,4}?не (?:освещ|раскры|рассматр|затраг|затрон|упомина"
    r"|описан)\w*|\bмне нечего (?:\w+ )?(?:ответить|сказать|добавить)",
    r"^(?:но|однако|а|и),? (?:\w+ )?не (?:указан\w*|упомина\w+|упомянут\w*|сказано|уточня\w+|приведен\w*|говорится)",
    # «нет информации о …», «информация отсутствует», «недостаточно данных для ответа»
    r"(?:^|[,:] )(?:\w+ ){0,2}?нет (?:\w+ ){0,3}?(?:информации|сведений|данных|ответа|упоминани[яй])\b",
    r"\bнет (?:\w+ ){0,2}?(?:информации|сведений|ответа|упоминани[яй]"
    rf"|данных)(?: \S+){{0,8}}? в(?:о)? (?:\S+ ){{0,3}}?{_SOURCES_IN_RU}",
    r"\b(?:информаци[яю]|сведения|ответ) (?:\S+ ){0,8}?(?:отсутству\w+|не (?:найден\w*|обнаружен\w*"
    r"|удалось найти|предоставлен\w*|представлен\w*|указан\w*))",
    r"\b(?:по|на) (?:этому|вашему|данному|этот|ваш|данный|такому) (?:вопросу?"
    r"|запросу?)(?: \S+){0,3}? (?:нет|отсутству\w+|не найден\w*|не нашлось|ничего)",
    r"\bничего (?:\w+ ){0,3}?не (?:найдено|нашел|нашла|нашли|нашлось|найти|обнаружено|сказано|удалось"
    r"|говорится|известно|указано)",
    r"\bне (?:найден\w*|обнаружен\w*|удалось найти) (?:\w+ ){0,3}?(?:информаци\w+|ответ\w*|данны\w+"
    r"|сведени\w+|документ\w*|результат\w*|подходящ\w+|упоминани\w+)",
    r"\bнедостаточно (?:\w+ ){0,2}?(?:информации|данных|сведений|контекста)(?: (?:для|чтобы) |,? чтобы |\W*$)",
    r"\b(?:невозможно|нельзя|не представляется возможным) (?:\S+ ){0,3}?(?:ответить|определить"
    r"|установить|сказать|дать|сделать|найти)"
    r"(?: \S+){0,6}? (?:(?:на|по|из|исходя|основываясь|опираясь)(?: на"
    rf"| из)? (?:\S+ ){{0,3}}?(?:вопрос\w*|запрос\w*|{_SOURCES_IN_RU}|документ\w*|контекст\w*|текст\w*"
    r"|источник\w*|материал\w*))",
)

WHOLE_REFUSALS_RU = compiled(
    r"(?:(?:к сожалению|увы|извините|простите|нет|да|ответ)[,.: —-]*)*(?:не (?:знаю|указан\w*|упомина\w+"
    r"|найден\w*|сказано|уверен\w*|определен\w*|смогу|могу"
    r"|нашел|нашла|нашлось|известно)(?: (?:в|об|этого|этом|на|\w+ах)(?: \w+){0,3})?|неизвестно"
    r"|нет (?:данных|ответа|информации|сведений)(?: \S+){0,6}"
    r"|данных нет|ответа нет|информации нет|нет в (?:\w+ )?\w+(?:ах|е)|(?:такой |этой "
    r"|подобной )?информации (?:\S+ ){0,5}нет"
    r"|(?:информаци\w+|данны\w+|ответ\w*|результат\w+|сведени\w+) (?:\S+ ){0,3}?не (?:найден\w*|нашлось)"
    r"|без ответа|ничего не (?:найдено|нашлось|нашел|нашла)|недостаточно (?:данных|информации))\W*",
)

# Before the words of a refusal: it is a condition, a report or a denial, and nobody refuses.
NOT_REFUSING = compiled(
    r"(?:^|[\s,;(])(?:if|when|whenever|unless|in case|once|should|если|когда|в случае|чтобы)\s[^,]*$",
    r"\b(?:it is not|it's not|it isn't|not because|not that|does not mean|doesn't mean|don't say"
    r"|do not say|say)(?: that| because)? $",
    r"\b(?:respond|answer|reply)(?:ed|s)? (?:with|as|either)\b[^,]*$",
    r"\b(?:say|said|says|told|tells|claim(?:s|ed)?|wrote|writes|replied|complain\w*)\b[^,]{0,20}$",
    r"\b(?:не потому|не значит|не означает|неправда|неверно|сказал\w*|ответил\w*|заявил\w*|пишет|пишут"
    r"|говорит|говорят),? (?:что )?(?:\w+ )?$",
)
