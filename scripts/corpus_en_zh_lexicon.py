"""Hand-written English-Chinese lexicon for the bundled corpus.

Every table is a block of text with one entry a line and fields between
bars, so that adding a word means adding a line.  A blank inside a Chinese
field separates the parts that answer, in order, to the English words of the
entry ("deep learning | 深度 学习"); when the numbers of parts differ, every
English word answers to the whole Chinese entry.
"""

import functools

# Nouns: singular[/plural] | Chinese | measure word.  A noun without a plural
# of its own ("-") is a mass noun.  The class decides which verbs and
# adjectives may go with the noun.
NOUN_TABLES = {
    "kin": """
        mother|妈妈|位
        father|爸爸|位
        grandmother|奶奶|位
        grandfather|爷爷|位
        older brother|哥哥|个
        younger brother|弟弟|个
        older sister|姐姐|个
        younger sister|妹妹|个
        wife|妻子|位
        husband|丈夫|位
        son|儿子|个
        daughter|女儿|个
        uncle|叔叔|位
        aunt|阿姨|位
    """,
    "mate": """
        friend|朋友|个
        neighbor|邻居|个
        classmate|同学|个
        colleague|同事|个
        roommate|室友|个
        boss|老板|个
        teacher|老师|位
    """,
    "person": """
        doctor|医生|位
        student|学生|个
        nurse|护士|位
        engineer|工程师|位
        driver|司机|位
        lawyer|律师|位
        cook|厨师|位
        writer|作家|位
        musician|音乐家|位
        farmer|农民|个
        scientist|科学家|位
        police officer|警察|个
        waiter|服务员|个
        painter|画家|位
        journalist|记者|位
        singer|歌手|个
        actor|演员|个
        dentist|牙医|位
        tour guide|导游|个
        professor|教授|位
        programmer|程序员|个
        worker|工人|个
        secretary|秘书|个
        translator|翻译|个
        coach|教练|个
        manager|经理|个
        athlete|运动员|个
    """,
    "human": """
        child/children|孩子|个
        boy|男孩|个
        girl|女孩|个
        man/men|男人|个
        woman/women|女人|个
        tourist|游客|个
    """,
    "fruit": """
        apple|苹果|个
        banana|香蕉|根
        orange|橙子|个
        pear|梨|个
        peach|桃子|个
        mango/mangoes|芒果|个
        strawberry|草莓|颗
        watermelon|西瓜|个
        lemon|柠檬|个
        tomato/tomatoes|西红柿|个
        potato/potatoes|土豆|个
        carrot|胡萝卜|根
        cucumber|黄瓜|根
    """,
    "snack": """
        egg|鸡蛋|个
        sandwich|三明治|个
        hamburger|汉堡|个
        cookie|饼干|块
        dumpling|饺子|个
        steamed bun|包子|个
        pizza|比萨|个
        pancake|煎饼|个
    """,
    "staple": """
        rice/-|米饭|碗
        bread/-|面包|块
        meat/-|肉|块
        fish/-|鱼|块
        chicken/-|鸡肉|块
        beef/-|牛肉|块
        cheese/-|奶酪|块
        tofu/-|豆腐|块
        fruit/-|水果|些
        chocolate/-|巧克力|块
        ice cream/-|冰淇淋|个
        salad/-|沙拉|份
    """,
    "meal": """
        breakfast/-|早饭|顿
        lunch/-|午饭|顿
        dinner/-|晚饭|顿
    """,
    "drink": """
        water/-|水|杯
        tea/-|茶|杯
        coffee/-|咖啡|杯
        milk/-|牛奶|杯
        juice/-|果汁|杯
        beer/-|啤酒|杯
        wine/-|葡萄酒|杯
        green tea/-|绿茶|杯
        cola/-|可乐|杯
        soy milk/-|豆浆|杯
        lemonade/-|柠檬水|杯
    """,
    "read": """
        book|书|本
        novel|小说|本
        magazine|杂志|本
        newspaper|报纸|份
        textbook|课本|本
        comic book|漫画书|本
        dictionary|词典|本
    """,
    "text": """
        letter|信|封
        email|邮件|封
        article|文章|篇
        report|报告|份
        poem|诗|首
        story|故事|个
        essay|作文|篇
    """,
    "show": """
        movie|电影|部
        documentary|纪录片|部
        cartoon|动画片|部
        video|视频|个
        football match/football matches|足球 比赛|场
        TV series/TV series|电视剧|部
    """,
    "sound": """
        song|歌|首
        music/-|音乐|首
        jazz/-|爵士乐|首
        radio program|广播 节目|个
        classical music/-|古典 音乐|首
    """,
    "clothes": """
        shirt|衬衫|件
        coat|大衣|件
        sweater|毛衣|件
        dress|连衣裙|条
        skirt|裙子|条
        jacket|夹克|件
        uniform|制服|套
    """,
    "headwear": """
        hat|帽子|顶
        scarf/scarves|围巾|条
        necklace|项链|条
        watch|手表|块
    """,
    "car": """
        car|车|辆
        taxi|出租车|辆
        bus|公共汽车|辆
        truck|卡车|辆
    """,
    "bike": """
        bicycle|自行车|辆
        motorcycle|摩托车|辆
    """,
    "furniture": """
        table|桌子|张
        chair|椅子|把
        bed|床|张
        sofa|沙发|张
        desk|书桌|张
        lamp|台灯|盏
        mirror|镜子|面
        carpet|地毯|块
        bookshelf/bookshelves|书架|个
    """,
    "opening": """
        window|窗户|扇
        door|门|扇
    """,
    "container": """
        box|盒子|个
        bag|包|个
        suitcase|行李箱|个
        backpack|背包|个
        drawer|抽屉|个
        basket|篮子|个
    """,
    "small": """
        key|钥匙|把
        umbrella|雨伞|把
        cup|杯子|个
        wallet|钱包|个
        pen|钢笔|支
        pencil|铅笔|支
        notebook|笔记本|本
        map|地图|张
        photo|照片|张
        ticket|票|张
        toy|玩具|个
        ball|球|个
        ring|戒指|枚
        passport|护照|本
        credit card|信用 卡|张
        flower|花|朵
        gift|礼物|份
    """,
    "dish": """
        plate|盘子|个
        bowl|碗|个
        knife/knives|刀|把
        spoon|勺子|把
        bottle|瓶子|个
        pan|平底锅|个
    """,
    "device": """
        phone|手机|部
        computer|电脑|台
        camera|相机|台
        television|电视|台
        refrigerator|冰箱|台
        washing machine|洗衣 机|台
        printer|打印机|台
        robot|机器人|个
        air conditioner|空调|台
    """,
    "animal": """
        cat|猫|只
        dog|狗|只
        bird|鸟|只
        horse|马|匹
        cow|牛|头
        sheep/sheep|羊|只
        rabbit|兔子|只
        duck|鸭子|只
        monkey|猴子|只
        elephant|大象|头
        tiger|老虎|只
        panda|熊猫|只
        pig|猪|头
        lion|狮子|只
    """,
    "place": """
        school|学校|所
        hospital|医院|家
        park|公园|个
        library|图书馆|个
        museum|博物馆|个
        bank|银行|家
        supermarket|超市|家
        restaurant|餐厅|家
        hotel|酒店|家
        cinema|电影院|家
        train station|火车 站|个
        airport|机场|个
        factory|工厂|家
        market|市场|个
        bookstore|书店|家
        coffee shop|咖啡 馆|家
        university|大学|所
        zoo|动物园|个
        gym|健身房|家
        post office|邮局|个
        theater|剧院|个
        pharmacy|药店|家
        bakery|面包店|家
        swimming pool|游泳 池|个
        shopping mall|购物 中心|个
    """,
    "area": """
        village|村子|个
        city|城市|个
        garden|花园|个
        lake|湖|个
        river|河|条
        mountain|山|座
        bridge|桥|座
        street|街道|条
        town|小镇|个
        island|小岛|个
        forest|森林|片
    """,
    "room": """
        room|房间|个
        kitchen|厨房|个
        bedroom|卧室|个
        living room|客厅|个
        office|办公室|个
        classroom|教室|个
        bathroom|浴室|个
    """,
    "task": """
        homework/-|作业|份
        job|工作|份
        project|项目|个
        plan|计划|个
        exam|考试|场
        exercise|练习|个
    """,
    "idea": """
        question|问题|个
        idea|主意|个
        method|方法|种
        answer|答案|个
        word|词|个
        lesson|课|节
        opinion|意见|个
        language|语言|种
    """,
    "event": """
        meeting|会议|场
        party|聚会|场
        concert|音乐会|场
        wedding|婚礼|场
        lecture|讲座|场
        exhibition|展览|个
    """,
}

# Nouns that only occur in the plural with "a pair of".
PAIR_TABLE = """
    shoes|鞋|双|穿
    socks|袜子|双|穿
    pants|裤子|条|穿
    boots|靴子|双|穿
    gloves|手套|副|戴
    glasses|眼镜|副|戴
"""

FIELD_TABLE = """
    deep learning|深度 学习
    machine learning|机器 学习
    mathematics|数学
    history|历史
    physics|物理
    chemistry|化学
    biology|生物
    geography|地理
    literature|文学
    philosophy|哲学
    economics|经济学
    computer science|计算机 科学
    data science|数据 科学
    statistics|统计学
    law|法律
    medicine|医学
    psychology|心理学
    linguistics|语言学
    astronomy|天文学
    artificial intelligence|人工 智能
    machine translation|机器 翻译
    programming|编程
    engineering|工程学
    politics|政治
    robotics|机器人学
    art|艺术
"""

LANGUAGE_TABLE = """
    Chinese|中文
    English|英语
    French|法语
    Japanese|日语
    German|德语
    Spanish|西班牙语
    Italian|意大利语
    Russian|俄语
    Korean|韩语
    Arabic|阿拉伯语
"""

# Country or city | Chinese.
REGION_TABLE = """
    China|中国
    France|法国
    Japan|日本
    Germany|德国
    England|英国
    America|美国
    Italy|意大利
    Spain|西班牙
    Canada|加拿大
    India|印度
    Russia|俄罗斯
    Australia|澳大利亚
    Brazil|巴西
    Egypt|埃及
    Korea|韩国
    Beijing|北京
    Shanghai|上海
    Paris|巴黎
    London|伦敦
    Tokyo|东京
    New York|纽约
    Berlin|柏林
    Rome|罗马
"""

NAME_TABLE = """
    Tom|汤姆|m
    Peter|彼得|m
    David|大卫|m
    Jack|杰克|m
    Mike|迈克|m
    John|约翰|m
    Paul|保罗|m
    Mary|玛丽|f
    Anna|安娜|f
    Lucy|露西|f
    Emma|艾玛|f
    Linda|琳达|f
    Alice|爱丽丝|f
    Lily|莉莉|f
    Sarah|萨拉|f
    Julia|朱莉娅|f
"""

# Adjectives: positive | comparative | predicate | attribute | classes.
# One English adjective may have several lines when the noun class decides
# the Chinese word ("old" people are 老, "old" things 旧).
ADJECTIVE_TABLE = """
    tall|taller|高|高高的|P
    happy|happier|高兴|快乐的|F
    tired|more tired|累|疲惫的|F
    busy|busier|忙|忙碌的|F
    hungry|hungrier|饿|饥饿的|F
    thirsty|thirstier|渴|口渴的|F
    sad|sadder|难过|难过的|F
    angry|angrier|生气|生气的|F
    nervous|more nervous|紧张|紧张的|F
    excited|more excited|兴奋|兴奋的|F
    worried|more worried|担心|担心的|F
    surprised|more surprised|惊讶|惊讶的|F
    lonely|lonelier|孤独|孤独的|F
    friendly|friendlier|友好|友好的|P
    smart|smarter|聪明|聪明的|PA
    kind|kinder|善良|善良的|P
    young|younger|年轻|年轻的|P
    old|older|老|老|P
    rich|richer|有钱|有钱的|P
    strong|stronger|强壮|强壮的|PA
    healthy|healthier|健康|健康的|P
    lazy|lazier|懒|懒惰的|PA
    hardworking|more hardworking|勤奋|勤奋的|P
    famous|more famous|出名|著名的|PLN
    brave|braver|勇敢|勇敢的|P
    polite|more polite|有礼貌|有礼貌的|P
    patient|more patient|耐心|耐心的|P
    honest|more honest|诚实|诚实的|P
    shy|shyer|害羞|害羞的|P
    big|bigger|大|大|ALCORNV
    small|smaller|小|小|ALCORNV
    cute|cuter|可爱|可爱的|A
    fat|fatter|胖|胖胖的|A
    beautiful|more beautiful|漂亮|漂亮的|COW
    beautiful|more beautiful|美丽|美丽的|LN
    new|newer|新|新|COBVLWE
    old|older|旧|旧|COBVWE
    expensive|more expensive|贵|昂贵的|CVEW
    cheap|cheaper|便宜|便宜的|CVEW
    heavy|heavier|重|沉重的|H
    light|lighter|轻|轻便的|H
    clean|cleaner|干净|干净的|CLR
    dirty|dirtier|脏|脏|C
    warm|warmer|暖和|暖和的|C
    comfortable|more comfortable|舒服|舒服的|C
    quiet|quieter|安静|安静的|LR
    noisy|noisier|吵|吵闹的|L
    far|farther|远|遥远的|X
    modern|more modern|现代|现代的|L
    bright|brighter|明亮|明亮的|R
    delicious|more delicious|好吃|好吃的|Z
    delicious|more delicious|好喝|好喝的|D
    fresh|fresher|新鲜|新鲜的|Z
    sweet|sweeter|甜|甜|Y
    cold|colder|凉|凉|D
    interesting|more interesting|有意思|有意思的|BSIQG
    boring|more boring|无聊|无聊的|BSQG
    difficult|more difficult|难|困难的|TQG
    easy|easier|容易|容易的|TQG
    important|more important|重要|重要的|ITBQ
    useful|more useful|有用|有用的|EQ
    fast|faster|快|快速的|V
    safe|safer|安全|安全的|V
"""

# The adjective classes that each noun class takes.
NOUN_ADJECTIVES = {
    "kin": "P", "mate": "P", "person": "P", "human": "P",
    "fruit": "ZY", "snack": "Z", "staple": "Z", "drink": "D",
    "read": "B", "text": "S", "show": "S", "sound": "",
    "clothes": "C", "headwear": "W", "car": "V", "bike": "V",
    "furniture": "O", "opening": "O", "container": "OH", "small": "",
    "dish": "", "device": "E", "animal": "A", "place": "L", "area": "N",
    "room": "R", "task": "T", "idea": "I", "event": "S",
}

COLOR_TABLE = """
    red|红色
    blue|蓝色
    white|白色
    black|黑色
    green|绿色
    yellow|黄色
    brown|棕色
    pink|粉色
    gray|灰色
    purple|紫色
"""

# Verbs with a thing as object: base | Chinese | object classes | uses.
# Uses: h habit, p progressive, t past, f future and modals, e experience,
# b the object moves before the verb with 把 in the past and in requests
# (the field after the uses is the Chinese verb with its result).
VERB_TABLE = """
    eat|吃|fruit snack staple meal|hptfe
    drink|喝|drink|hptfe
    buy|买|fruit snack staple drink read clothes headwear car bike furniture container small dish device|hptf
    sell|卖|fruit clothes bike furniture car|hpf
    read|读|read text|hptfe
    watch|看|show|hptfe
    listen to|听|sound|hptfe
    write|写|text|hptfe
    wear|穿|clothes|hf
    wear|戴|headwear|hf
    use|用|device small dish read|f
    draw|画|animal flower bridge river mountain village|hptfe
    feed|喂|animal|hptfe
    cut|切|fruit bread meat cheese|pt
    cook|做|meal rice meat fish chicken beef tofu|hptf
    order|点|snack drink rice salad tofu|ptf
    drive|开|car|hptfe
    ride|骑|bike|hptfe
    find|找到|small|t
    look for|找|small cat dog|ptf
    borrow|借|read umbrella pen pencil cup map ball bike|tf
    bring|带|small snack drink|tf
    prepare|准备|meal snack exercise|ptf
    attend|参加|event exam|hptfe
    visit|参观|museum zoo factory university exhibition garden|htfe
    explain|解释|idea|ptf
    discuss|讨论|idea text plan|hptf
    organize|组织|event|ptf
    see|看见|animal small|t
    answer|回答|question|tf
    wash|洗|dish clothes car fruit|hptfb|洗干净
    clean|打扫|room|hptfb|打扫干净
    open|打开|opening container|ptfb|打开
    close|关上|opening drawer|tfb|关上
    repair|修理|car bike device furniture|hptfb|修好
    finish|完成|homework job project exercise|ftb|做完
    move|搬|furniture container|ptfb|搬走
    lose|弄丢|small|b|弄丢
    break|打破|plate bowl bottle cup|b|打破
    sell|卖|car bike furniture|b|卖掉
    eat|吃|fruit snack|b|吃完
    forget|忘记|idea|b|忘记
"""

# Verbs with a person as object: base | Chinese | uses (s: a state, which
# has the present only; f goes with s when a modal may stand before it).
PERSON_VERB_TABLE = """
    love|爱|s
    like|喜欢|s
    miss|想念|s
    know|认识|s
    understand|理解|s
    believe|相信|s
    respect|尊敬|s
    hate|讨厌|s
    trust|信任|s
    help|帮助|hptfe
    meet|遇见|t
    thank|感谢|tf
    invite|邀请|tfe
    visit|看望|htf
    wait for|等|pf
    look for|找|ptf
    take care of|照顾|hptfe
    remember|记得|s
    interview|采访|tfe
"""

# Activities: verb | rest | Chinese verb | Chinese rest | kind.
# Kind: s learnt skill ("can" is 会), o other ("can" is 能), g has a gerund
# that serves as a noun ("swimming").
ACTIVITY_TABLE = """
    swim||游|泳|sg
    run||跑|步|og
    dance||跳|舞|sg
    sing||唱|歌|sg
    cook||做|饭|sg
    travel||旅行||og
    fish||钓|鱼|sg
    ski||滑|雪|sg
    skate||滑|冰|sg
    camp||露|营|og
    shop||购|物|og
    hike||徒步||og
    work||工作||o
    rest||休息||o
    exercise||锻炼||o
    chat||聊|天|o
    paint||画|画|sg
    take|a walk|散|步|o
    take|a shower|洗|澡|o
    take|photos|拍|照|o
    play|football|踢|足球|s
    play|basketball|打|篮球|s
    play|tennis|打|网球|s
    play|table tennis|打|乒乓球|s
    play|badminton|打|羽毛球|s
    play|volleyball|打|排球|s
    play|chess|下|象棋|s
    play|cards|打|牌|o
    play|the piano|弹|钢琴|s
    play|the guitar|弹|吉他|s
    play|the violin|拉|小提琴|s
    play|the drums|打|鼓|s
    play|video games|玩|电子 游戏|o
    ride|a horse|骑|马|s
    do|housework|做|家务|o
    do|yoga|做|瑜伽|s
    climb|mountains|爬|山|o
    surf|the internet|上|网|o
    write|code|写|代码|s
"""

SPORT_NOUNS = """
    football|足球
    basketball|篮球
    tennis|网球
    table tennis|乒乓球
    badminton|羽毛球
    volleyball|排球
    chess|象棋
    yoga|瑜伽
    music|音乐
    photography|摄影
    nature|大自然
    poetry|诗歌
"""

# Everyday routines with a fixed place or time: base | Chinese | 了 after.
ROUTINE_TABLE = """
    get up|起床
    go to bed|睡觉
    go to work|上班
    go home|回家
    go to school|上学
    start work|开始 工作
    leave home|离开 家
    have a rest|休息
"""

# Verbs that take "for two hours": base | Chinese.
DURATION_TABLE = """
    sleep|睡
    work|工作
    study|学习
    rest|休息
    wait|等
    exercise|锻炼
    walk|走
    run|跑
    talk|聊
    practice|练习
    cry|哭
    laugh|笑
"""

# Weather: adjective | Chinese for "it is <adjective>".
WEATHER_TABLE = """
    cold|冷
    hot|热
    warm|暖和
    cool|凉快
"""

WEATHER_VERBS = """
    rain|下雨
    snow|下雪
"""

IRREGULAR_VERBS = """
    eat ate eaten
    drink drank drunk
    buy bought bought
    sell sold sold
    read read read
    write wrote written
    wear wore worn
    draw drew drawn
    feed fed fed
    cut cut cut
    drive drove driven
    ride rode ridden
    find found found
    bring brought brought
    see saw seen
    lose lost lost
    break broke broken
    forget forgot forgotten
    know knew known
    understand understood understood
    meet met met
    take took taken
    teach taught taught
    swim swam swum
    run ran run
    sing sang sung
    do did done
    go went gone
    get got gotten
    have had had
    leave left left
    sleep slept slept
    give gave given
    send sent sent
    make made made
    say said said
    think thought thought
    tell told told
    come came come
    speak spoke spoken
    cost cost cost
    feel felt felt
    tell told told
"""

# Verbs whose last consonant doubles before -ing and -ed.
DOUBLING = "swim run cut shop get plan chat".split()

# Time phrases: English | Chinese | tenses they go with.
# Tenses: t past, f future, h habit, n now.
TIME_TABLE = """
    yesterday|昨天|t
    last week|上 个星期|t
    last month|上 个月|t
    last year|去年|t
    last night|昨天晚上|t
    this morning|今天 早上|t
    yesterday afternoon|昨天 下午|t
    tomorrow|明天|f
    tonight|今天晚上|f
    next week|下 个星期|f
    next month|下 个月|f
    next year|明年|f
    this afternoon|今天 下午|f
    tomorrow morning|明天 早上|f
    the day after tomorrow|后天|f
    this weekend|这个 周末|f
    every day|每 天|h
    every morning|每天 早上|h
    every evening|每天 晚上|h
    every week|每 个星期|h
    every weekend|每个 周末|h
    today|今天|x
    now|现在|n
    right now|现在|n
    at the moment|现在|n
"""

DAY_TABLE = """
    Monday|星期一
    Tuesday|星期二
    Wednesday|星期三
    Thursday|星期四
    Friday|星期五
    Saturday|星期六
    Sunday|星期天
"""

MONTH_TABLE = """
    January|一月|1
    February|二月|2
    March|三月|3
    April|四月|4
    May|五月|5
    June|六月|6
    July|七月|7
    August|八月|8
    September|九月|9
    October|十月|10
    November|十一月|11
    December|十二月|12
"""

SEASON_TABLE = """
    spring|春天
    summer|夏天
    autumn|秋天
    winter|冬天
"""

FREQUENCY_TABLE = """
    often|经常
    always|总是
    usually|通常
    sometimes|有时候
    rarely|很少
    never|从来不
"""

PREPOSITION_TABLE = """
    on|上
    in|里
    under|下面
    behind|后面
    next to|旁边
    in front of|前面
    near|附近
"""

TRANSPORT_TABLE = """
    by bus|坐 公共汽车
    by train|坐 火车
    by plane|坐 飞机
    by taxi|坐 出租车
    by subway|坐 地铁
    by ship|坐 船
    by bicycle|骑 自行车
"""

# Modals: English | Chinese | Chinese negation | inflects like a verb.
MODAL_TABLE = """
    should|应该|不应该|n
    must|必须||n
    want to|想|不想|y
    need to|需要|不需要|y
    have to|得|不用|y
    plan to|打算|不打算|y
    hope to|希望||y
    like to|喜欢|不喜欢|y
    intend to|准备|不准备|y
"""

# Fixed expressions, which the training set holds in several spellings.
PHRASE_TABLE = """
    Hello.|你好。
    Hi.|嗨。
    Thanks.|谢谢。
    Thank you.|谢谢你。
    Thank you very much.|非常感谢你。
    Goodbye.|再见。
    Good morning.|早上好。
    Good evening.|晚上好。
    Good night.|晚安。
    Yes.|是的。
    No.|不是。
    Please.|请。
    Sorry.|对不起。
    Welcome.|欢迎。
    Congratulations!|恭喜！
    You are welcome.|不客气。
    How are you?|你好吗？
    I am fine.|我很好。
    What is your name?|你叫什么名字？
    Nice to meet you.|很高兴认识你。
    See you tomorrow.|明天见。
    Happy birthday!|生日快乐！
    Happy new year!|新年快乐！
    Have a good trip!|一路平安！
    Good luck!|祝你好运！
    Of course.|当然。
    Please sit down.|请坐。
    Please come in.|请进。
    What time is it?|现在几点？
    What day is it today?|今天星期几？
    Excuse me.|打扰一下。
    I do not know.|我不知道。
    I agree.|我同意。
    Take care.|保重。
"""

# Greetings that are followed by a name: English | Chinese.
GREETING_TABLE = """
    Hello|你好
    Hi|嗨
    Thanks|谢谢
    Thank you|谢谢你
    Goodbye|再见
    Good morning|早上 好
    Good evening|晚上 好
    Good night|晚安
    Sorry|对不起
    Welcome|欢迎
    Congratulations|恭喜
    Happy birthday|生日 快乐
    Excuse me|打扰一下
    Good luck|祝你好运
    Take care|保重
"""

UNITS = ("zero one two three four five six seven eight nine ten eleven twelve "
         "thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
HAN_DIGITS = "零一二三四五六七八九十"


@functools.lru_cache(maxsize=None)
def rows(table):
    """Split a table into lists of stripped fields, one list a line."""
    lines = (line.strip() for line in table.strip().splitlines())
    return [[field.strip() for field in line.split("|")]
            for line in lines if line]


def plural(noun):
    """Regular English plural of the last word of a noun."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeou":
        return noun[:-1] + "ies"
    return noun + "s"


class Noun:
    """A noun entry with its English plural, measure word and class."""

    def __init__(self, fields, group):
        singular, _, given = fields[0].partition("/")
        self.en = singular
        self.plural = given or plural(singular)
        self.mass = given == "-"
        self.zh = fields[1]
        self.measure = fields[2]
        self.group = group


NOUNS = {group: [Noun(fields, group) for fields in rows(table)]
         for group, table in NOUN_TABLES.items()}


@functools.lru_cache(maxsize=None)
def nouns(names):
    """All nouns of the classes (or the single nouns) that names lists."""
    found = []
    for name in names.split():
        if name in NOUNS:
            found += NOUNS[name]
        else:
            found += [n for group in NOUNS.values() for n in group
                      if n.en == name]
    return found


IRREGULAR = {fields[0]: fields[1:]
             for fields in (row[0].split() for row in rows(IRREGULAR_VERBS))}


def third(verb):
    """Third person singular of the present."""
    head, space, rest = verb.partition(" ")
    if head == "have":
        return "has" + space + rest
    if head.endswith(("s", "x", "ch", "sh", "o")):
        head += "es"
    elif head.endswith("y") and head[-2] not in "aeou":
        head = head[:-1] + "ies"
    else:
        head += "s"
    return head + space + rest


def stem(head):
    """The stem that takes -ed or -ing, with a doubled consonant if due."""
    return head + head[-1] if head in DOUBLING else head


def past(verb, participle=False):
    """Simple past or past participle."""
    head, space, rest = verb.partition(" ")
    if head in IRREGULAR:
        head = IRREGULAR[head][1 if participle else 0]
    elif head.endswith("e"):
        head += "d"
    elif head.endswith("y") and head[-2] not in "aeou":
        head = head[:-1] + "ied"
    else:
        head = stem(head) + "ed"
    return head + space + rest


def gerund(verb):
    """The -ing form."""
    head, space, rest = verb.partition(" ")
    if head.endswith("e") and not head.endswith("ee"):
        head = head[:-1] + "ing"
    else:
        head = stem(head) + "ing"
    return head + space + rest


def english_number(n):
    """A number up to 999 in English words."""
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10] + ("-" + UNITS[n % 10] if n % 10 else "")
    rest = n % 100
    return UNITS[n // 100] + " hundred" + (
        " and " + english_number(rest) if rest else "")


def chinese_number(n):
    """A number up to 999 in Chinese characters, in the counting reading."""
    if n <= 10:
        return HAN_DIGITS[n]
    if n < 20:
        return "十" + HAN_DIGITS[n % 10]
    if n < 100:
        return (HAN_DIGITS[n // 10] + "十"
                + (HAN_DIGITS[n % 10] if n % 10 else ""))
    head = ("两" if n // 100 == 2 else HAN_DIGITS[n // 100]) + "百"
    rest = n % 100
    if not rest:
        return head
    if rest < 10:
        return head + "零" + HAN_DIGITS[rest]
    return head + ("一" if rest < 20 else "") + chinese_number(rest)


# The tables whose first two columns are an English and a Chinese lemma.
TWO_COLUMN = [FIELD_TABLE, LANGUAGE_TABLE, REGION_TABLE, NAME_TABLE,
              COLOR_TABLE, SPORT_NOUNS, ROUTINE_TABLE, DURATION_TABLE,
              WEATHER_TABLE, WEATHER_VERBS, TIME_TABLE, DAY_TABLE,
              MONTH_TABLE, SEASON_TABLE, FREQUENCY_TABLE, TRANSPORT_TABLE,
              PREPOSITION_TABLE, MODAL_TABLE, VERB_TABLE, PERSON_VERB_TABLE,
              PAIR_TABLE]


def lemmas():
    """The sets of English and of Chinese lemmas in the lexicon."""
    english, chinese = set(), set()
    for group in NOUNS.values():
        english |= {noun.en for noun in group}
        chinese |= {noun.zh for noun in group}
    for table in TWO_COLUMN:
        english |= {fields[0] for fields in rows(table)}
        chinese |= {fields[1] for fields in rows(table)}
    for fields in rows(ADJECTIVE_TABLE):
        english.add(fields[0])
        chinese.add(fields[2])
    for verb, rest, head, tail, _ in rows(ACTIVITY_TABLE):
        english.add((verb + " " + rest).strip())
        chinese.add(head + tail)
    return english, {lemma.replace(" ", "") for lemma in chinese}


BY_NAME = {noun.en: noun for group in NOUNS.values() for noun in group}


def nouns_named(name):
    """The noun with this singular."""
    return BY_NAME[name]
