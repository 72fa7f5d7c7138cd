"""English and Russian words that decide whether a claim says the same as a text. Data only."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STOP_WORDS = frozenset(
    _words("""
    a an the is are was were be been being am do does did has have had having of in on at to for by with and or
    as that this these those it its it's he she they them his her their i you we my your our there here from
    into onto over under than then so such which who whom whose what when where how if but also about up out off
    during not no nor s t very just can will would и в во на с со к ко у о об обо от из за для по а но же бы был
    была было были есть быть это этот эта эти этого этой этих этом том тот та те то того что чтобы как так также
    он она оно они его её ее их ему ей им нас вас мы вы я ты свой своя свои своего своей своих который которая
    которое которые которого которой которых при до под над или не ни ли уже еще ещё лишь только здесь там где
    когда если чем
""")
)

NEGATORS = frozenset(
    _words("""
    not no never without neither nor none nobody nothing nowhere cannot unable fails fail failed lacks lack
    lacked lacking absent absence refuses refused refuse denied denies deny hardly barely не ни без нет никогда
    никто ничто ничего нигде никакой никакого никаких никакие нельзя невозможно отсутствует отсутствуют
    отсутствие отказался отказалась отказались лишён лишен вовсе отнюдь
    except кроме
""")
)

# "Not only", "no later than", «не менее» deny nothing of what follows.
BOUNDING = frozenset(
    _words("""
    only more less fewer later earlier least longer just necessarily
    только менее более меньше больше позднее позже ранее раньше выше ниже дольше
""")
)

# From "some" (1) to "all" (4); "none" (9) stands apart.
QUANTIFIERS: dict[str, int] = {
    word: level
    for level, words in (
        (
            1,
            _words("""
                some several sometimes few certain partly occasionally rarely seldom некоторые некоторых
                некоторым некоторый несколько иногда часть частично отдельные отдельных ряд редко порой
                кое-какие нескольких нескольким некоторыми некоторая некоторое меньшинство меньшинства minority
                handful частичное отчасти
"""),
        ),
        (
            2,
            _words("""
                many often much frequently многие многих часто много зачастую
"""),
        ),
        (
            3,
            _words("""
                most mostly majority usually largely mainly большинству большинством generally
                typically большинство большинства большинстве большая
                обычно чаще преимущественно
"""),
        ),
        (
            4,
            _words("""
                all every each always entire entirely completely everyone everybody everything any both fully
                whole целый каждую каждым каждом всею любую любым любом любых все всех всем всеми всё
                всегда каждый каждая каждое каждые каждого каждой каждому любой
                любая любое любые любого оба обе полностью целиком весь вся всю всего всей
"""),
        ),
        (
            9,
            _words("""
                none nobody nothing neither no никто ничто ничего никакой никакие никаких никого никому никогда
                never
"""),
        ),
    )
    for word in words
}

EXCLUSIVE = frozenset(
    _words("""
    exclusively only sole solely единственная единственное единственный исключительно лишь только
""")
)

EXCEPTIONS = frozenset(
    _words("""
    apart besides except exception excluding исключая исключением кроме помимо
""")
)

# Possible (1), advised (2), required (3), forbidden (9): a stronger claim is not carried by a weaker text.
MODALITY: dict[str, int] = {
    word: level
    for level, words in (
        (
            1,
            _words("""
                may might could can possibly probably perhaps maybe entitled optional optionally
                voluntary allowed permitted может
                могут мог могла могли можно возможно вероятно вправе вероятно наверное пожалуй видимо
                похоже допускается разрешается разрешено
                необязательно добровольно
"""),
        ),
        (
            2,
            _words("""
                should recommended advised recommends ought suggested рекомендуется рекомендовано следует стоит
                желательно советуют рекомендует рекомендуют
"""),
        ),
        (
            3,
            _words("""
                must shall required requires mandatory obliged obligatory compulsory needs должен должна
                должно должны обязан обязана обязано обязаны обязательно обязателен обязательна необходимо
                требуется нужно надлежит
"""),
        ),
        (
            9,
            _words("""
                forbidden prohibited banned запрещено запрещается запрещён запрещен нельзя cannot
"""),
        ),
    )
    for word in words
}

# Said to be so, or meant to be so: not yet a fact.
UNSETTLED = frozenset(
    _words("""
    plans plan planned planning intends intend intended expects expected expect hopes proposed
    considers considering reportedly allegedly alleged claims claimed suggests believes believed rumoured
    rumored aims aimed scheduled forecast would likely планирует планируют планировал планировалось
    планируется намерен намерена намерены намеревается собирается собираются ожидается ожидают предполагается
    предлагает предложил предложено якобы будто утверждает утверждают считает считают сообщается обещает обещал
    рассматривает прогноз прогнозирует хочет хотел мог предлагали полагает полагают считается
    вероятно probably apparently seemingly seems appears thinks think thought бы предположительно
    допускает допускают according словам мнению вроде возможно perhaps possibly
""")
)

# Of two of these in one sentence each says which of two things is meant.
CONTRASTED = frozenset(
    _words("""
    east female first former half latter left male men new north old private public right second south third
    west women вторая второй левый новая нового новом новые новый первая первый половина правый старая старого
    старом старые старый треть
""")
)

_OPPOSITES = _words("""
    more:less more:fewer higher:lower high:low larger:smaller large:small bigger:smaller big:small greater:less
    greater:smaller greater:lower longer:shorter long:short older:younger old:young old:new oldest:youngest
    faster:slower fast:slow fastest:slowest earlier:later early:late before:after above:below first:last
    best:worst better:worse largest:smallest highest:lowest longest:shortest most:least increase:decrease
    increased:decreased increases:decreases increase:reduce increased:reduced increases:reduces rise:fall
    rose:fell rises:falls risen:fallen grew:shrank grow:shrink grew:fell rose:declined rose:dropped
    increased:declined increased:dropped increased:fell raise:lower raised:lowered gain:lose gained:lost
    maximum:minimum cheaper:costlier cheap:expensive heavier:lighter heavy:light stronger:weaker strong:weak
    wider:narrower wide:narrow deeper:shallower warmer:colder hot:cold warm:cold wet:dry open:closed
    opened:closed open:close start:end started:ended begin:finish begins:ends allow:forbid allowed:forbidden
    allowed:prohibited permitted:prohibited permitted:forbidden accept:reject accepted:rejected approve:reject
    approved:rejected include:exclude includes:excludes included:excluded win:lose won:lost success:failure
    succeeded:failed passed:failed buy:sell bought:sold import:export imports:exports north:south
    northern:southern east:west eastern:western left:right inside:outside indoors:outdoors upper:lower
    top:bottom front:back near:far always:never all:none with:without everyone:nobody same:different
    public:private internal:external mandatory:optional required:optional free:paid male:female man:woman
    men:women boy:girl father:mother son:daughter husband:wife brother:sister day:night day:year alive:dead
    full:empty true:false positive:negative active:passive active:inactive enabled:disabled enable:disable
    valid:invalid legal:illegal possible:impossible temporary:permanent simple:complex easy:difficult
    safe:dangerous sitting:standing asleep:awake sleeping:awake happy:sad smiling:frowning black:white
    больше:меньше более:менее выше:ниже высокий:низкий крупнее:мельче длиннее:короче длинный:короткий
    старше:младше старше:моложе старый:новый старый:молодой быстрее:медленнее раньше:позже ранее:позднее
    раньше:позднее до:после перед:после над:под лучше:хуже лучший:худший крупнейший:мельчайший
    наибольший:наименьший самый:наименее увеличить:уменьшить увеличился:уменьшился увеличилась:уменьшилась
    увеличилось:уменьшилось увеличились:уменьшились увеличился:сократился увеличилась:сократилась
    увеличилось:сократилось увеличились:сократились увеличивает:уменьшает увеличивает:снижает повышает:снижает
    повысить:снизить повысил:снизил повысился:снизился повысилась:снизилась выросли:снизились вырос:снизился
    выросла:снизилась выросло:снизилось вырос:упал выросла:упала выросло:упало вырос:сократился
    выросла:сократилась выросло:сократилось рост:снижение рост:падение увеличение:уменьшение
    увеличение:сокращение повышение:снижение максимум:минимум максимальный:минимальный дешевле:дороже
    дешёвый:дорогой тяжелее:легче сильнее:слабее шире:уже глубже:мельче теплее:холоднее горячий:холодный
    открыт:закрыт открыть:закрыть открыли:закрыли начало:конец начался:закончился начать:закончить
    разрешено:запрещено разрешает:запрещает разрешается:запрещается разрешён:запрещён принял:отклонил
    одобрил:отклонил принят:отклонён включает:исключает включая:исключая выиграл:проиграл победил:проиграл
    победа:поражение успех:неудача купил:продал импорт:экспорт северный:южный север:юг восток:запад
    восточный:западный левый:правый слева:справа внутри:снаружи верхний:нижний первый:последний всегда:никогда
    все:никто с:без одинаковый:разный внутренний:внешний обязательный:добровольный обязательно:необязательно
    платный:бесплатный бесплатно:платно мужчина:женщина муж:жена отец:мать сын:дочь брат:сестра день:ночь
    живой:мёртвый полный:пустой положительный:отрицательный временный:постоянный возможно:невозможно
    законный:незаконный включён:выключен лёгкий:тяжёлый простой:сложный безопасный:опасный
""")

# Of each line a thing is one only.
_ALTERNATIVES = """
monday tuesday wednesday thursday friday saturday sunday
понедельник вторник среда четверг пятница суббота воскресенье
spring summer autumn winter
весна лето осень зима
first second third fourth fifth sixth seventh eighth ninth tenth
первый второй третий четвертый пятый шестой седьмой восьмой девятый десятый
half third quarter fifth
половина треть четверть
north south east west
север юг восток запад
red blue green yellow black white brown orange purple pink gray grey
красный синий зеленый желтый черный белый коричневый оранжевый фиолетовый розовый серый
morning afternoon evening night
утро день вечер ночь
gold silver bronze
золото серебро бронза
january february march april june july august september october november december
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
"""

OPPOSITES: tuple[tuple[str, str], ...] = (
    *((left, right) for left, _, right in (pair.partition(":") for pair in _OPPOSITES)),
    *(
        (left, right)
        for line in _ALTERNATIVES.strip().splitlines()
        for left in line.split()
        for right in line.split()
        if left < right
    ),
)
