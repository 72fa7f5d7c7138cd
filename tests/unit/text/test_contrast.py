"""Hand-made contrast lists: refusals beside answers that share their words."""

import pytest

from ragassay.text.refusals import observed

REFUSED_EN = """\
I don't know.
I do not know how many languages they support.
I'm sorry, but I don't have that information.
I do not have specific information on the monthly cost of the service.
I could not find this in the documents I have.
I couldn't find anything about parental leave in the provided sources.
The provided documents do not contain information about the refund period.
The context doesn't mention the deadline.
None of the passages say when the bridge was built.
There is no information about calories in the given contexts.
Unfortunately, the documents I have access to do not cover this topic.
I'm afraid that isn't something I can help with.
I am unable to answer this question based on the provided context.
Based on the documents, I cannot determine who signed the contract.
I can't say whether the fee applies to students.
I won't be able to help with that request.
This question cannot be answered from the sources given.
Not mentioned in the documents.
No relevant documents were found.
Nothing in the sources addresses this question.
I was not able to locate any record of this order in the knowledge base.
We could not find an answer to your question.
Sorry, I can't assist with that.
I must decline to answer.
I have no information about this.
I lack the data to answer that.
That is beyond my knowledge.
The answer is not present in the context.
The text is silent on the matter of compensation.
It is not specified in the provided excerpts.
The sources fail to mention the author's name.
I searched the documents, but could not find anything relevant.
I'm not sure.
Unanswerable
There isn't enough information to answer.
The question cannot be answered.
The documents discuss pasta in general, but they do not mention the cooking time.
I don't have access to your account details. Please contact support.
If you are asking about the 2023 edition, I do not have that information.
I would love to help, but I don't have any data on this.
Thank you for your question. I'm sorry, I don't have an answer to it. Is there anything else I can help you with?
"I don't know."
I’m sorry, but I can’t find that in the handbook excerpts.
- I do not have this information.
Regrettably, nothing about that appears in the material I was given.
My sources don't cover that.
The handbook excerpts make no mention of bonuses.
I can't find any reference to a penalty in the text.
That information isn't in the documents I was given.
I cannot answer that from the context.
It's not clear from the documents who approved the budget.
We have no data on that.
Apologies, I don't have the answer to that.
I am not in a position to give legal advice.
The retrieved passages do not address the question.
This is not covered in the provided material.
I couldn't locate that policy.
There's no mention of this in the manual pages provided.
The documents provided don't say.
Your question falls outside the scope of the provided documents.
No answer could be found.
The excerpt ends before that point, so I cannot say when it happened.
Information about the CEO's salary is unavailable in the sources.
""".splitlines()

ANSWERED_EN = """\
Sorry to hear that. Restart the router and wait a minute.
'I can't let you in,' said the guard.
The warranty does not cover water damage.
The policy does not include dental care.
You cannot return opened items.
Refunds are not available after 30 days.
There is no fee for this service.
No information is shared with third parties.
We do not offer refunds after 30 days.
We don't have any hidden fees.
We cannot ship to PO boxes.
I can't say it is hard: press the button twice.
I can't recommend this enough.
I can't help but notice that the total is 72.
I couldn't find any errors in your code; it returns 5.
Nobody knows who invented the wheel.
Scientists do not know what dark matter is made of.
There is no evidence of life beyond Earth.
The article says: "I don't know who did it."
She replied that the documents were signed on 3 May.
If you cannot find the button, restart the app.
If I cannot find the answer, a colleague calls you within 2 days.
Without the log file nobody can name the exact cause, but the usual ones are a full disk or an expired key.
No, the museum is closed on Mondays.
No.
It is impossible to return the goods without a receipt.
The answer is 42.
The contract was not signed by the tenant.
The driver is not provided with the laptop.
The sources do not agree: one says 1990, the other 1991.
When the sensor cannot determine the level, the lamp blinks.
Reply with "I don't know" when the customer asks for a discount.
The system responds with "No results found" when the index is empty.
Users who do not have access must ask their administrator.
The patient does not have diabetes.
Unlike you, I do not think the term is long: it is 10 days.
Passwords are not stored in the database.
The treaty does not provide for unilateral withdrawal.
The applicant was unable to provide a certificate, so the claim was rejected.
The manual is not included in the box.
The error "cannot open file" means that the disk is full.
It is not that I don't know the price: it is 5 EUR.
The unknown soldier's tomb is in Paris.
The plan is insufficient for 20 users.
The device does not contain mercury.
The form does not ask for your birth date.
Not all items qualify: only books do.
The insurer does not pay when the driver is drunk.
There was no mention of a raise until 2019, when it became 5 %.
He could not find work and moved to Chicago in 1920.
The company cannot disclose customer data under section 5.
I don't recommend the basic plan; the Pro plan costs 9 EUR.
No documents are required to register.
The file cannot be opened because it is encrypted; use the key.
The results do not include taxes: the total is 120 EUR.
The court did not answer the first question.
You do not have access until day 3.
It isn't possible to cancel after 24 hours.
The texts do not differ in the two editions.
Data older than 90 days is not available in the free plan.
The answer to the riddle is nothing.
The sources of the river are not in Peru but in Brazil.
Employees may not disclose salaries.
We do not know of any recalls; the model was checked in 2024.
""".splitlines()

REFUSED_RU = """\
Не знаю.
Я не знаю ответа на этот вопрос.
К сожалению, в документах об этом ничего не сказано.
В предоставленных документах нет информации о сроках возврата.
Не нашёл в документах ответа на этот вопрос.
Ничего подходящего не найдено.
В контексте не указано, кто подписал договор.
Документы не содержат сведений о стоимости.
Предоставленный контекст не отвечает на вопрос.
К сожалению, я не располагаю такой информацией.
У меня нет информации об этом.
У меня нет доступа к вашим данным.
Я не могу ответить на этот вопрос.
Извините, но я не могу помочь с этим.
Не удалось найти информацию по вашему запросу.
По вашему запросу ничего не найдено.
Информация о тарифе в источниках отсутствует.
В базе знаний нет ответа на этот вопрос.
Затрудняюсь ответить.
Недостаточно данных для ответа.
На основании предоставленных документов невозможно определить дату.
Ни в одном из документов не упоминается эта дата.
Мне неизвестно, кто автор.
Ответ на этот вопрос в тексте не найден.
Этот вопрос выходит за рамки моих возможностей.
Я не смог найти упоминаний об этом в материалах.
Ответить на этот вопрос не могу.
Сведения о поставщике не найдены.
Я не нашла нужной информации. Обратитесь в службу поддержки.
Здравствуйте! К сожалению, ответа на ваш вопрос у меня нет. Остались ли у вас вопросы?
Источники не упоминают о такой скидке.
В тексте этого нет.
Нет данных.
Нет информации о количестве сотрудников.
Не указано.
Информации об этом в документах нет.
В статьях говорится о пасте, но не указано время варки.
Вынужден отказать в ответе на этот вопрос.
Ничем не могу помочь.
Если вы спрашиваете о тарифе 2023 года, у меня нет такой информации.
Точного ответа в документах нет.
Контекст не позволяет определить год постройки.
Я проверил документы, но не нашёл этого.
«Не знаю.»
Увы, ответа в базе не оказалось.
Боюсь, этой информации у меня нет.
По имеющимся документам установить это нельзя.
В переданных фрагментах такие сведения не встречаются.
Я не обладаю данными о зарплатах сотрудников.
Прошу прощения, но я не могу предоставить эту информацию.
Данный вопрос не освещён в инструкции, которую мне передали.
Мне не удалось найти ответ в регламенте.
Сожалею, но в справке нет ответа на этот вопрос.
Контекст не содержит нужных данных.
Из текста неясно, кто победил.
Точных данных нет, поэтому ответить не могу.
Об этом в источниках не говорится.
В моих источниках нет сведений о ценах на 2025 год.
Указанная информация отсутствует в документации.
Информация не найдена. Попробуйте переформулировать запрос.
Я всего лишь помощник и не могу давать юридических советов.
Эта тема не раскрыта в предоставленных материалах.
К сожалению, я не могу подтвердить эту дату.
Ответ не найден.
Я не вижу этого в документах.
Не могу найти подтверждения этому в тексте.
Ничего об этом не знаю.
Мне нечего ответить на этот вопрос.
Запрашиваемые сведения в контексте не представлены.
""".splitlines()

ANSWERED_RU = """\
Очень жаль это слышать. Перезапустите роутер и подождите минуту.
«Я не могу вас пустить», — сказал охранник.
Гарантия не распространяется на повреждения водой.
Полис не включает стоматологию.
Вскрытые товары вернуть нельзя.
Возврат невозможен после 30 дней.
Плата за услугу не взимается.
Информация не передаётся третьим лицам.
Мы не возвращаем деньги после 30 дней.
У нас нет скрытых комиссий.
Мы не можем доставить заказ на абонентский ящик.
Не могу сказать, что это сложно: нажмите кнопку дважды.
Не могу не отметить, что итог равен 72.
В документах ошибок нет.
В документах нет ошибок, итог равен 5.
Учёные не знают, из чего состоит тёмная материя.
Вы не знаете пароль? Нажмите «Восстановить».
Если вы не нашли кнопку, перезапустите приложение.
Если в договоре не указан срок, он равен 10 дням.
Если информация не найдена, система показывает пустую страницу.
Когда файл не найден, программа выдаёт ошибку 404.
Нет, музей по понедельникам закрыт.
Нет.
Без чека вернуть товар нельзя.
Договор не подписан арендатором.
Материал не содержит хлора.
Заявитель не смог предоставить справку, поэтому заявка отклонена.
Пользователи, у которых нет доступа, обращаются к администратору.
У пациента нет диабета.
Пароли в базе не хранятся.
Ошибка «файл не найден» означает, что диск переполнен.
Отвечайте «Не знаю», если клиент просит скидку.
Это не значит, что я не знаю цену: она равна 5 EUR.
Инструкция не входит в комплект.
Он ответил, что документы подписаны 3 мая.
Могила Неизвестного Солдата находится в Москве.
Для 20 пользователей тарифа недостаточно.
Датчик не может определить уровень, поэтому мигает лампа.
Срок не ограничен.
Комиссия отсутствует.
Скидки нет.
Цена без НДС составляет 100 рублей.
Компания не несёт ответственности за задержку.
Не нужно указывать паспортные данные.
Срок хранения не указывается на упаковке, он равен 12 месяцам.
Налог не платится, если квартира в собственности больше 5 лет.
Доступ к архиву закрыт для посетителей.
Документы не нужны: достаточно паспорта.
Если вам отказали, подайте жалобу в течение 10 дней.
Мы не знаем отказа в работе: поддержка отвечает круглосуточно.
Он не смог приехать, и встречу перенесли.
Банк не отвечает за действия третьих лиц.
Данные не удаляются автоматически.
Информация о ценах размещена на сайте.
Ответственность за это не предусмотрена.
Программа не содержит вирусов.
Текст не должен превышать 1000 знаков.
Источник питания не входит в комплект.
Невозможно вернуть билет после отправления поезда.
Нельзя менять масло на горячем двигателе.
Не удаётся войти? Сбросьте пароль.
Если ответа нет, письмо отправляется повторно.
Файлы не найдены: эта ошибка значит, что путь неверен.
В отчёте указано, что прибыль не выросла.
Работник не обязан сообщать причину.
Сервис не передаёт документы партнёрам.
Неизвестный автор написал письмо в 1812 году.
Нет, возврат занимает 10 дней.
""".splitlines()

PARTIAL = """\
The documents do not mention the fee. The deadline is 10 days.
The fee is 6 EUR, but I don't know the deadline.
I do not have much information about this, but I can say that the pressure falls with height.
Although I could not find the exact fee, the deadline is 10 days.
The fee is 6 EUR, and the documents do not mention the deadline.
I don't know the exact date; the contract was signed in May.
В документах не указана плата. Срок составляет 10 дней.
Плата составляет 6 EUR, но срок в документах не указан.
Точной суммы я не знаю, однако срок составляет 10 дней.
Срок 10 дней, а о плате в документах ничего не сказано.
В статье 12 не говорится о штрафах, но статья 13 задаёт 1000 рублей.
""".splitlines()

CLARIFIED = """\
Which Apple product are you referring to?
Do you mean Twilio, or something else?
There are many clinics you could be referring to. Which one are you talking about?
Could you please specify the model of the device?
Please clarify which contract you mean.
Hello! Which city are you asking about?
Уточните, пожалуйста, какой договор вы имеете в виду.
Какой тариф вас интересует?
Вы имеете в виду возврат или обмен?
Есть несколько тарифов. О каком из них вы спрашиваете?
Здравствуйте! Не могли бы вы уточнить номер модели?
I'd need more information to answer that.
""".splitlines()


@pytest.mark.parametrize("reply", REFUSED_EN + REFUSED_RU)
def test_refusal_is_refused(reply: str) -> None:
    kind, spans = observed(reply)
    assert kind == "refused"
    assert spans


@pytest.mark.parametrize("reply", ANSWERED_EN + ANSWERED_RU)
def test_answer_that_looks_like_a_refusal_is_answered(reply: str) -> None:
    assert observed(reply) == ("answered", [])


@pytest.mark.parametrize("reply", PARTIAL)
def test_refusal_of_one_part_is_partial(reply: str) -> None:
    kind, spans = observed(reply)
    assert kind == "partial"
    assert spans


@pytest.mark.parametrize("reply", CLARIFIED)
def test_question_back_is_clarified(reply: str) -> None:
    kind, spans = observed(reply)
    assert kind == "clarified"
    assert spans


def test_lists_are_long_enough_to_mean_something() -> None:
    for replies in (REFUSED_EN, ANSWERED_EN, REFUSED_RU, ANSWERED_RU):
        assert len(set(replies)) >= 40
