"""Units of measurement in English and Russian: what they measure and how large they are. Data only."""

_TABLE = """
length 0.001 mm millimetre millimetres millimeter millimeters мм миллиметр миллиметра миллиметров миллиметры
length 0.01 cm centimetre centimetres centimeter centimeters см сантиметр сантиметра сантиметров сантиметры
length 1 m metre metres meter meters м метр метра метров метры метрах
length 1000 km kilometre kilometres kilometer kilometers км километр километра километров километры километрах
length 0.0254 inch inches дюйм дюйма дюймов
length 0.3048 foot feet ft фут фута футов
length 1609.344 mile miles миля мили миль
mass 0.001 mg milligram milligrams мг миллиграмм миллиграмма миллиграммов
mass 1 g gram grams gramme grammes г гр грамм грамма граммов
mass 1000 kg kilogram kilograms kilo kilos кг килограмм килограмма килограммов килограммы
mass 1000000 t tonne tonnes ton tons т тонна тонны тонн тонну
mass 453.59237 lb lbs pound-mass фунт фунта фунтов
time 0.001 ms millisecond milliseconds мс миллисекунда миллисекунды миллисекунд
time 1 s sec secs second seconds сек секунда секунды секунд секунду
time 60 min mins minute minutes мин минута минуты минут минуту минутах
time 3600 h hr hrs hour hours ч час часа часов часы часах
time 86400 day days сут сутки суток день дня дней дни дням днях
time 604800 week weeks неделя недели недель неделю неделях
calendar 1 month months мес месяц месяца месяцев месяцы месяцах
calendar 3 quarter quarters квартал квартала кварталов
calendar 12 year years yr yrs год года лет годы годам годах
calendar 120 decade decades десятилетие десятилетия десятилетий
calendar 1200 century centuries век века веков столетие столетия столетий
percent 1 % percent pct процент процента процентов проценты
volume 0.001 ml millilitre millilitres milliliter milliliters мл миллилитр миллилитра миллилитров
volume 1 l litre litres liter liters л литр литра литров литры
area 1 m² м²
area 1000000 km² км²
area 10000 ha hectare hectares га гектар гектара гектаров
bytes 1 byte bytes байт байта байтов
bytes 1000 kb кб килобайт
bytes 1000000 mb мб мегабайт мегабайта
bytes 1000000000 gb гб гигабайт гигабайта гигабайтов
bytes 1000000000000 tb тб терабайт терабайта
power 1 w watt watts вт ватт
power 1000 kw kilowatt kilowatts квт киловатт
power 1000000 mw megawatt megawatts мвт мегаватт
voltage 1 v volt volts в/вольт вольт вольта
voltage 1000 kv кв/киловольт киловольт
frequency 1 hz гц герц
frequency 1000 khz кгц
frequency 1000000 mhz мгц
frequency 1000000000 ghz ггц
pressure 1 bar bars бар
temperature 1 °c celsius градус градуса градусов °с
fahrenheit 1 °f fahrenheit
dollars 1 $ usd dollar dollars доллар доллара долларов
euros 1 € eur euro euros евро
pounds 1 £ gbp pound pounds
roubles 1 ₽ rub rouble roubles ruble rubles руб рубль рубля рублей
roubles 0.01 коп копейка копейки копеек
"""

UNITS: dict[str, tuple[str, float]] = {
    form: (dimension, float(size))
    for dimension, size, *forms in (line.split() for line in _TABLE.strip().splitlines())
    for form in forms
}

_SCALES = """
100 hundred hundreds сотня сотни сотен
1000 thousand thousands тыс тысяча тысячи тысяч тысячу тысячам
1000000 million millions mln mio млн миллион миллиона миллионов миллионы
1000000000 billion billions bln bn млрд миллиард миллиарда миллиардов миллиарды
1000000000000 trillion trillions трлн триллион триллиона триллионов
"""

SCALES: dict[str, int] = {
    form: int(value) for value, *forms in (line.split() for line in _SCALES.strip().splitlines()) for form in forms
}

_NUMERALS = """
1 one один одна одно одного одной одну одним
2 two два две двух двум двумя двое двоих
3 three три трех трем тремя трое троих
4 four четыре четырех четырем четверо четверых
5 five пять пяти пятью пятеро
6 six шесть шести шестью шестеро
7 seven семь семи семью
8 eight восемь восьми восемью
9 nine девять девяти девятью
10 ten десять десяти десятью
11 eleven одиннадцать одиннадцати
12 twelve dozen двенадцать двенадцати дюжина дюжины
13 thirteen тринадцать тринадцати
14 fourteen четырнадцать четырнадцати
15 fifteen пятнадцать пятнадцати
16 sixteen шестнадцать шестнадцати
17 seventeen семнадцать семнадцати
18 eighteen восемнадцать восемнадцати
19 nineteen девятнадцать девятнадцати
20 twenty двадцать двадцати
30 thirty тридцать тридцати
40 forty сорок сорока
50 fifty пятьдесят пятидесяти
60 sixty шестьдесят шестидесяти
70 seventy семьдесят семидесяти
80 eighty восемьдесят восьмидесяти
90 ninety девяносто девяноста
100 сто ста
200 двести двухсот
300 триста трехсот
400 четыреста четырехсот
500 пятьсот пятисот
600 шестьсот шестисот
700 семьсот семисот
800 восемьсот восьмисот
900 девятьсот девятисот
"""

NUMERALS: dict[str, int] = {
    form: int(value) for value, *forms in (line.split() for line in _NUMERALS.strip().splitlines()) for form in forms
}

_MONTHS = """
1 january jan январь января январе
2 february feb февраль февраля феврале
3 march mar март марта марте
4 april apr апрель апреля апреле
5 may май мая мае
6 june jun июнь июня июне
7 july jul июль июля июле
8 august aug август августа августе
9 september sept sep сентябрь сентября сентябре
10 october oct октябрь октября октябре
11 november nov ноябрь ноября ноябре
12 december dec декабрь декабря декабре
"""

MONTHS: dict[str, int] = {
    form: int(value) for value, *forms in (line.split() for line in _MONTHS.strip().splitlines()) for form in forms
}

_ORDINALS = """
1 first
2 second
3 third
4 fourth
5 fifth
6 sixth
7 seventh
8 eighth
9 ninth
10 tenth
11 eleventh
12 twelfth
13 thirteenth
14 fourteenth
15 fifteenth
16 sixteenth
17 seventeenth
18 eighteenth
19 nineteenth
20 twentieth
21 twenty-first
"""

ORDINALS: dict[str, int] = {
    form: int(value) for value, form in (line.split() for line in _ORDINALS.strip().splitlines())
}

# What an amount may be counted per, written out or after a stroke ("м/с"), where «с» and "s" are no prepositions.
PER_UNITS: dict[str, tuple[str, float]] = {form: unit for form, unit in UNITS.items() if len(form) > 1} | {
    "h": UNITS["h"], "s": UNITS["s"], "l": UNITS["l"], "m": UNITS["m"], "ч": UNITS["ч"], "с": UNITS["s"],
    "л": UNITS["л"], "м": UNITS["м"], "г": UNITS["г"],
    "ежедневно": UNITS["день"], "еженедельно": UNITS["неделя"], "ежемесячно": UNITS["месяц"],
    "ежегодно": UNITS["год"], "daily": UNITS["day"], "weekly": UNITS["week"], "monthly": UNITS["month"],
    "annually": UNITS["year"], "yearly": UNITS["year"],
}  # fmt: skip

SQUARE = ("square", "sq", "кв", "квадратный", "квадратного", "квадратных", "квадратные")
