"""The wording of courtesies, asides and questions back, as data: see `refusal_phrases` for how it is read."""

from ragassay.text.refusal_phrases import SOURCES_EN, compiled

_REFERRING_EN = (
    r"(?:contact|check|consult|refer|visit|reach|ask|try|look|search|call|email|find (?:more|this|it|out)"
    r"|get in touch|speak|talk to"
    r"|rephrase|provide|see|share|review|verify|let me)"
)
_REFERRING_RU = (
    r"(?:обратит\w+|уточнит\w+|проверит\w+|проверьте|посмотрет\w+|посмотрите|задат\w+|задайте|связат\w+"
    r"|свяжитесь|попробоват\w+|попробуйте|найти"
    r"|поискат\w+|поищите|позвонит\w+|позвоните|написат\w+|напишите|переформулир\w+|загляните|обращат\w+"
    r"|ознакомит\w+|предостав\w+)"
)

# Says nothing that could be checked; matched against a whole clause.
COURTESIES = compiled(
    r"(?:hello|hi|hey|greetings|good (?:morning|day|evening|afternoon)|dear)(?:,? \w+(?: \w+)?)?\W*",
    r"(?:thank you|thanks)\b[^,:]{0,120}|(?:ok|okay|sure|certainly|of course|absolutely|great question"
    r"|good question|got it|understood)\W*",
    r"(?:i am |i'm |so |i am so |i'm so )?(?:very |truly )?(?:sorry|apologies|my apologies|unfortunately"
    r"|i apologi[sz]e|we apologi[sz]e)\b"
    r"(?: (?:to hear|for|about)\b[^,:]{0,100})?\W*",
    r"(?:you're|you are) welcome\b[^,:]{0,40}|i hope (?:this|that|it) (?:helps|answers|clarifies)\b[^,:]{0,60}",
    r"(?:please )?(?:let me know|feel free|do not hesitate|don't hesitate)\b.{0,160}|if you (?:have"
    r"|need) (?:any )?(?:other|more|further|additional)\b.{0,160}",
    r"(?:i'd|i would|i'll|i will|i am|i'm)(?: be)? (?:happy|glad|love|like|here) to (?:help|assist"
    r"|answer)\b[^,:]{0,80}",
    r"(?:have a (?:nice|good|great) day|best regards|kind regards|good luck|take care)\W*",
    r"(?:i (?:have |'ve )?|i've |having )?(?:searched|looked|checked|reviewed|read|went|gone|examined"
    rf"|scanned) (?:\w+ ){{0,5}}?{SOURCES_EN}(?: \w+){{0,3}}\W*",
    rf"(?:based on|according to|from|given|looking at) (?:\w+ ){{0,5}}?{SOURCES_EN}\W*",
    r"(?:здравствуйте|добрый (?:день|вечер)|доброе утро|привет|приветствую)(?:,? \w+(?: \w+)?)?\W*",
    r"уважаем\w+ [^:]{0,40}",
    r"(?:спасибо|благодарю|благодарим)\b[^,:]{0,120}|(?:пожалуйста|конечно|хорошо|разумеется|понятно"
    r"|отличный вопрос|к сожалению|увы)\W*",
    r"(?:извините|простите|прошу прощения|приношу (?:свои )?извинения|мне (?:очень )?жаль|сожале(?:ю"
    r"|ем))(?:,? (?:за|о|об|что) [^,:]{0,80})?\W*",
    r"(?:надеюсь|буду рада?|рада? (?:был\w* )?помочь|обращайтесь|всего доброго|удачи|хорошего дня"
    r"|с уважением)\b[^:]{0,120}",
    r"если (?:у вас )?(?:остались|есть|появятся|возникнут|будут) (?:\w+ )?вопрос\w*.{0,160}",
    r"(?:я )?(?:просмотрел|проверил|изучил|поискал|посмотрел|проанализировал)\w*(?: \w+){0,6}\W*",
)

_ABOUT_EN = (
    r"(?:mentions?|discuss(?:es)?|describes?|talks?|covers?|focus(?:es)?|deals?|(?:is|are) (?:about"
    r"|related)|refers?|relates?"
    r"|(?:provides?|contains?|includes?) (?:\w+ ){0,2}?(?:information|details?|references?|context"
    r"|an overview))\b(?! that)"
)

# Beside a refusal these answer nothing: what the documents are about, the question retold, where to ask instead.
ASIDES = compiled(
    rf"^\W*(?:\w+ ){{0,4}}?(?:{SOURCES_EN}|they|it|some|others)(?: \[?\d+\]?)?(?: (?:provided|given|above"
    r"|i have|available))?,? "
    rf"(?:only |mainly |mostly |do |does |just |primarily |all |also |do seem to )*{_ABOUT_EN}",
    r"^\W*(?:this|the|your) (?:question|query)\b|^\W*(?:therefore|thus|so|hence),? (?:the (?:correct "
    r"|only )?(?:answer|response)|i|it|based on)\b"
    r"|^\W*(?:confidence|references?|answer|note|question) ?(?:\(s\))?:",
    rf"^\W*(?:please|kindly|i (?:can |would |'d )?(?:suggest|recommend|advise|encourage)|{_REFERRING_EN}"
    r"|you (?:can|may|could|should|might|will need to|would need to)(?: also| want to| wish to| try to"
    rf"| need to)? {_REFERRING_EN})\b",
    r"^\W*(?:for (?:more|further|this|that|accurate|specific) \w+|to (?:find out|answer|help)|it (?:is"
    r"|would be|may be|might be) (?:best|better|advisable|helpful|recommended)"
    r"|as an ai|i am an ai|i'm an ai|my knowledge|i can only|i am only)\b",
    r"^\W*(?:в (?:них|нем|ней)|там|они|(?:\S+ ){0,4}?(?:документ|контекст|источник|текст|материал|фрагмент"
    r"|отрыв|стать)\w*)(?: \S+){0,4}? "
    r"(?:посвящен\w*|касаются|касается|рассказыва\w+|описыва\w+|упомина\w+|говорится|говорят|речь идет"
    r"|содерж\w+ (?:\w+ )?(?:информаци\w+|сведени\w+|только)"
    r"|есть (?:\w+ )?(?:информация|сведения))\b(?!,? что)",
    r"^\W*(?:вопрос|этот вопрос|ваш вопрос|следовательно|таким образом)\b",
    rf"^\W*(?:пожалуйста|рекомендую|советую|рекомендуется|{_REFERRING_RU}|(?:вы )?(?:можете"
    rf"|могли бы) {_REFERRING_RU}|(?:вам )?(?:стоит|лучше|нужно) {_REFERRING_RU}"
    r"|(?:для|чтобы) (?:узнать|уточн\w+|точно\w+|получ\w+ (?:\w+ )?информ\w+)|могу лишь)\b",
)

# The assistant asks what the question meant. Searched in questions, and in requests without a question mark.
ASKS_BACK = compiled(
    r"\b(?:are|do|did|were|would|can|could|which|what|who|where|when|how|is)\b.{0,160}\byou(?:'re"
    r"|r)?\b.{0,60}\b(?:mean|meant|refer|referring|ask|asking"
    r"|thinking|looking|interested|talking|have in mind|in mind|using|specify|clarify|provide|tell|share"
    r"|elaborate|explain|rephrase|want|need|like|prefer|give|about|curious|inquiring|model|version)\b",
    r"\bmay i ask\b|\b(?:which|what) (?:one|of (?:these|them|those)|\w+) (?:do|did|are|would) you\b"
    r"|\bdid you mean\b|\bdo you mean\b",
    r"\b(?:please|kindly) (?:clarify|specify|provide (?:more|additional|further|the|some)|tell me (?:which"
    r"|what|more)|give (?:me )?(?:more|the)|let me know (?:which|what)|be more specific|elaborate"
    r"|state which)",
    r"\bi(?: need| would need|'d need) (?:to know|more (?:information|details|context))",
    r"\b(?:что|кого|какой|какую|какое|какие|каком|какая|о (?:каком|какой|каких|чем"
    r"|ком)) (?:\S+ ){0,6}?(?:вы|вас|вам|ваш\w*|речь)\b",
    r"\b(?:вы имеете в виду|имеете ли вы в виду|вы спрашиваете|вы про|вас интересует|вы говорите о"
    r"|речь (?:идет )?о)\b",
    r"\b(?:уточните|поясните|конкретизируйте|подскажите|сообщите|назовите|укажите)\b.{0,60}\b(?:пожалуйста"
    r"|как\w+|что|о чем|вопрос|номер|модель|верси\w+|период|регион|город|дат\w+)",
    r"\b(?:можете|могли бы|не могли бы) (?:вы )?(?:уточнить|пояснить|конкретизировать|подсказать|сказать|назвать)",
)

# Offers further help: a question, but none about this one.
OFFERS = compiled(
    r"\banything else\b|\bsomething else (?:i|we)\b|\bany (?:other|more|further) questions\b"
    r"|\bother questions\b|\bwould you like (?:me )?to\b|\bdo you have (?:any )?(?:more )?questions",
    r"\bещ[её] (?:чем|вопрос|что)|\b(?:чем|могу ли я|что) (?:\w+ )?еще\b"
    r"|\bостались (?:ли )?(?:у вас )?вопросы|\bхотите,? чтобы\b",
)

# Introduces the choice that a question back is about.
CHOICES = compiled(
    r"\byou (?:could|might|may|can) be (?:referring|asking|talking|thinking|looking|interested)"
    r"|\bthere (?:are|could be) (?:quite )?(?:many|several|a few|a couple|multiple|various|two|three"
    r"|different|a number)"
    r"|\b(?:that|it|this) depends\b|\bdepends on\b|^\W*to (?:answer|help|give|assist)\b|\b(?:i|we)(?:'d"
    r"| would)? need\b|\b(?:ambiguous|unclear|not clear|too (?:broad|general|vague))\b|^\W*for example\b"
    r"|\bcould (?:mean|refer)\b|\bplease (?:clarify|specify|provide|tell|give|let)",
    r"\b(?:есть|существует|имеется|бывает) (?:несколько|много|различн\w+|разн\w+|два|две|три)"
    r"|\bзависит от\b|^\W*(?:чтобы|для) (?:\w+ )?ответ|\b(?:неясно|непонятно|не понятно|не ясно"
    r"|неоднозначн\w+)\b|^\W*например\b|\bуточните|\bмне (?:нужно|надо|необходимо)|\bподскажите",
)
