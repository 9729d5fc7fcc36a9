"""Hand-written lexicon of the English -> French corpus generator.

Every table is plain text so that it can be read and corrected by eye.

Nouns:       classes: english french gender, ...   "_" stands for a blank,
             "a/b" gives an irregular plural, gender is m or f followed by
             "0" for mass nouns and "p" for nouns used in the plural only.
Adjectives:  classes: english masculine[/feminine] [pre], ...
Verb phrases: english | french | kind | tags.  The first word of each side is
             the verb; the other words are linked by position when both sides
             have the same number of them, otherwise by the letters after
             "/" ("V" is the verb itself).  A slot {o:class:dets} is a direct
             object, {p:class:dets} any other noun phrase, {d:person} a
             recipient, {my} a possessive that agrees with the subject.
             "se_" marks a reflexive verb, "si_" one whose participle does not
             agree because a direct object follows.
             Kinds: h (habit or single event), o (single event), s (state).
"""

NOUNS = """
kin human: father père m, mother mère f, brother frère m, sister sœur f, son fils/fils m, daughter fille f, uncle oncle m, aunt tante f, cousin cousin m, grandfather grand-père/grands-pères m, grandmother grand-mère/grands-mères f
spouse human: husband mari m, wife/wives femme f
known human: friend ami m, neighbour voisin m, colleague collègue m, boss patron m
folk human: teacher professeur m, doctor médecin m, student étudiant m, boy garçon m, girl fille f, man/men homme m, woman/women femme f, child/children enfant m, nurse infirmière f, baker boulanger m, farmer agriculteur m, waiter serveur m, driver chauffeur m, singer chanteur m, actor acteur m, policeman/policemen policier m, lawyer avocat m, tourist touriste m
baby human: baby bébé m
animal pet: dog chien m, cat chat m, rabbit lapin m, hamster hamster m, bird oiseau m
animal beast: horse cheval m, cow vache f, goat chèvre f, mouse/mice souris f
fruit food countfood: apple pomme f, orange orange f, banana banane f, strawberry fraise f, pear poire f, peach pêche f, lemon citron m
veg food countfood: tomato tomate f, carrot carotte f, onion oignon m, bean haricot m, potato pomme_de_terre/pommes_de_terre f, mushroom champignon m
snack food countfood: egg œuf m, sandwich sandwich m, cake gâteau m, croissant croissant m, biscuit biscuit m, pizza pizza f
massfood food raw: bread pain m0, cheese fromage m0
massfood food: butter beurre m0, jam confiture f0, chocolate chocolat m0, ham jambon m0, honey miel m0, ice_cream glace f0
dish massfood food raw: meat viande f0, fish poisson m0
dish massfood food: rice riz m0, soup soupe f0, salad salade f0, chicken poulet m0
drink hotdrink: milk lait m0, coffee café m0, tea thé m0
drink colddrink: water eau f0, wine vin m0, beer bière f0, lemonade limonade f0, orange_juice jus_d'orange m0
text media: book livre m, newspaper journal m, magazine magazine m, novel roman m, poem poème m, article article m, story histoire f
mail: letter lettre f, message message m, email e-mail m, postcard carte_postale/cartes_postales f
watchable media: film film m, cartoon dessin_animé/dessins_animés m, documentary documentaire m, play pièce f
cloth small: shirt chemise f, dress robe f, coat manteau m, hat chapeau m, jacket veste f, skirt jupe f, sweater pull m, scarf/scarves écharpe f, tie cravate f
pairs cloth small: shoe chaussure fp, sock chaussette fp, glove gant mp, boot botte fp
device thing: computer ordinateur m, phone téléphone m, tablet tablette f, camera appareil_photo/appareils_photo m, printer imprimante f, radio radio f
portable small thing: key clé f, umbrella parapluie m, watch montre f, pen stylo m, pencil crayon m, notebook cahier m, wallet portefeuille m, passport passeport m, ticket billet m, map carte f, bag sac m
gift small picture: photo photo f
gift small thing: gift cadeau m, flower fleur f, ball ballon m, toy jouet m
dishware fragile small thing: cup tasse f, plate assiette f, bottle bouteille f, glass verre m, knife/knives couteau m
luggage thing: suitcase valise f, box boîte f
furniture thing: table table f, chair chaise f, bed lit m, lamp lampe f, mirror miroir m, sofa canapé m, desk bureau m
opening: window fenêtre f, door porte f
vehicle: car voiture f, bike vélo m, motorbike moto f, boat bateau m
transport: train train m, bus/buses bus m, plane avion m, taxi taxi m
house: house maison f, flat appartement m
room: kitchen cuisine f, bathroom salle_de_bains/salles_de_bains f, bedroom chambre f, living_room salon m, garage garage m
town place: cinema cinéma m, theatre théâtre m, museum musée m, restaurant restaurant m, library bibliothèque f, park parc m, market marché m, bank banque f, hotel hôtel m, hospital hôpital m, church/churches église f, bakery boulangerie f, pharmacy pharmacie f, post_office bureau_de_poste/bureaux_de_poste m, swimming_pool piscine f, supermarket supermarché m, airport aéroport m, station gare f, school école f, university université f, office bureau m
nature: beach plage f, lake lac m, river rivière f, forest forêt f, mountain montagne f, island île f, sea mer f
sight: castle château m, bridge pont m, farm ferme f
sight urban: village village m, city ville f, square place f, street rue f
language: French français m0, English anglais m0, Spanish espagnol m0, German allemand m0, Italian italien m0, Chinese chinois m0, Japanese japonais m0
subject: history histoire f0, geography géographie f0, biology biologie f0, mathematics/mathematics mathématiques fp, music musique f0, chemistry chimie f0
sport: football football m0, tennis tennis m0, basketball basket m0, rugby rugby m0, volleyball volley m0
instrument: piano piano m, guitar guitare f, violin violon m, flute flûte f
task: exercise exercice m, lesson leçon f, problem problème m, question question f, exam examen m
file: file fichier m, document document m, video vidéo f, application application f
secret: password mot_de_passe/mots_de_passe m
medical: medicine médicament m
body: head tête f, back dos m, stomach ventre m, leg jambe f, foot/feet pied m, arm bras m, hand main f
event formal: meeting réunion f
event leisure: party fête f, trip voyage m, holiday/holidays vacances fp, concert concert m, match/matches match m
event: birthday anniversaire m
event abstract: song chanson f, dream rêve m, idea idée f
"""

ADJECTIVES = """
human: tall grand pre, young jeune pre, kind gentil/gentille, intelligent intelligent, serious sérieux, shy timide, patient patient, polite poli, strong fort, brave courageux, generous généreux, lazy paresseux, curious curieux, honest honnête, rich riche, funny drôle, famous célèbre
feeling: happy heureux, sad triste, tired fatigué, ill malade, worried inquiet/inquiète, proud fier, nervous nerveux, calm calme, surprised surpris, jealous jaloux/jalouse, busy occupé, ready prêt, alone seul, angry fâché, disappointed déçu
animal: small petit pre, black noir, white blanc/blanche, brown marron, beautiful beau/belle pre, old vieux/vieille pre, big gros/grosse pre
food: delicious délicieux, excellent excellent pre
veg: fresh frais/fraîche, big gros/grosse pre, small petit pre
raw: fresh frais/fraîche
fruit: fresh frais/fraîche, ripe mûr, sweet sucré, big gros/grosse pre, small petit pre
hotdrink: cold froid, hot chaud, delicious délicieux
colddrink: cold froid, fresh frais/fraîche
media: interesting intéressant, boring ennuyeux, long long/longue pre, new nouveau/nouvelle pre, good bon/bonne pre, short court, excellent excellent pre, strange étrange
mail: long long/longue pre, important important
cloth: red rouge, blue bleu, green vert, yellow jaune, black noir, white blanc/blanche, grey gris, pink rose, elegant élégant, warm chaud, new nouveau/nouvelle pre, beautiful beau/belle pre, expensive cher, pretty joli pre
thing: red rouge, blue bleu, green vert, yellow jaune, black noir, white blanc/blanche, new nouveau/nouvelle pre, old vieux/vieille pre, big grand pre, small petit pre, expensive cher, pretty joli pre
luggage: heavy lourd, light léger, empty vide
device: practical pratique, modern moderne
furniture: comfortable confortable, round rond, modern moderne, heavy lourd
dishware: empty vide, clean propre, dirty sale
vehicle: fast rapide, red rouge, blue bleu, green vert, black noir, white blanc/blanche, grey gris, new nouveau/nouvelle pre, old vieux/vieille pre, small petit pre, big grand pre, modern moderne, expensive cher, clean propre, dirty sale
transport: fast rapide, slow lent, comfortable confortable, full plein
house: big grand pre, small petit pre, modern moderne, old vieux/vieille pre, new nouveau/nouvelle pre, comfortable confortable, white blanc/blanche, beautiful beau/belle pre
room: big grand pre, small petit pre, clean propre, dirty sale, quiet tranquille, beautiful beau/belle pre
town: big grand pre, small petit pre, modern moderne, new nouveau/nouvelle pre, old vieux/vieille pre
nature: beautiful beau/belle pre, quiet tranquille, magnificent magnifique
sight: beautiful beau/belle pre, old vieux/vieille pre, famous célèbre, magnificent magnifique
urban: noisy bruyant, quiet tranquille
task: easy facile, difficult difficile, important important, long long/longue pre
file: important important, new nouveau/nouvelle pre
formal: important important, long long/longue pre, boring ennuyeux
leisure: magnificent magnifique, long long/longue pre
abstract: strange étrange, beautiful beau/belle pre
picture: beautiful beau/belle pre, old vieux/vieille pre, strange étrange
"""

# English irregular verbs: base, past, past participle, -ing form if odd.
EN_VERBS = """
be was been being; have had had having; do did done; go went gone; eat ate eaten; drink drank drunk
buy bought bought; make made made making; cut cut cut cutting; read read read; write wrote written writing
speak spoke spoken; take took taken taking; sell sold sold; lose lost lost losing; find found found
break broke broken; forget forgot forgotten forgetting; put put put putting; understand understood understood
teach taught taught; send sent sent; leave left left leaving; drive drove driven driving; come came come coming
sleep slept slept; run ran run running; swim swam swum swimming; get got got getting; fall fell fallen
sing sang sung; draw drew drawn; win won won winning; meet met met; give gave given giving; lend lent lent
tell told told; see saw seen; know knew known; think thought thought; feel felt felt; wear wore worn
wake woke woken waking; ride rode ridden riding; hear heard heard; say said said; choose chose chosen choosing
pay paid paid; sit sat sat sitting; travel travelled travelled travelling; stop stopped stopped stopping
bring brought brought; begin began begun beginning; hurt hurt hurt; set set set setting; cost cost cost
try tried tried trying; cry cried cried crying; study studied studied studying; carry carried carried carrying
worry worried worried worrying; tidy tidied tidied tidying; hurry hurried hurried hurrying; prefer preferred preferred preferring
"""

# French irregular verbs: six present forms, participle, future stem.
FR_VERBS = """
être: suis es est sommes êtes sont; été; ser
avoir: ai as a avons avez ont; eu; aur
aller: vais vas va allons allez vont; allé; ir
faire: fais fais fait faisons faites font; fait; fer
prendre: prends prends prend prenons prenez prennent; pris; prendr
apprendre: apprends apprends apprend apprenons apprenez apprennent; appris; apprendr
comprendre: comprends comprends comprend comprenons comprenez comprennent; compris; comprendr
mettre: mets mets met mettons mettez mettent; mis; mettr
boire: bois bois boit buvons buvez boivent; bu; boir
lire: lis lis lit lisons lisez lisent; lu; lir
écrire: écris écris écrit écrivons écrivez écrivent; écrit; écrir
dire: dis dis dit disons dites disent; dit; dir
voir: vois vois voit voyons voyez voient; vu; verr
savoir: sais sais sait savons savez savent; su; saur
connaître: connais connais connaît connaissons connaissez connaissent; connu; connaîtr
pouvoir: peux peux peut pouvons pouvez peuvent; pu; pourr
vouloir: veux veux veut voulons voulez veulent; voulu; voudr
devoir: dois dois doit devons devez doivent; dû; devr
venir: viens viens vient venons venez viennent; venu; viendr
revenir: reviens reviens revient revenons revenez reviennent; revenu; reviendr
partir: pars pars part partons partez partent; parti; partir
sortir: sors sors sort sortons sortez sortent; sorti; sortir
dormir: dors dors dort dormons dormez dorment; dormi; dormir
sentir: sens sens sent sentons sentez sentent; senti; sentir
ouvrir: ouvre ouvres ouvre ouvrons ouvrez ouvrent; ouvert; ouvrir
courir: cours cours court courons courez courent; couru; courr
conduire: conduis conduis conduit conduisons conduisez conduisent; conduit; conduir
recevoir: reçois reçois reçoit recevons recevez reçoivent; reçu; recevr
éteindre: éteins éteins éteint éteignons éteignez éteignent; éteint; éteindr
naître: nais nais naît naissons naissez naissent; né; naîtr
rire: ris ris rit rions riez rient; ri; rir
sourire: souris souris sourit sourions souriez sourient; souri; sourir
pleuvoir: pleus pleus pleut pleuvons pleuvez pleuvent; plu; pleuvr
"""

ETRE_VERBS = {"aller", "venir", "revenir", "partir", "sortir", "arriver",
              "rester", "tomber", "rentrer", "entrer"}

# Object determiner profiles: a = indefinite, t = definite, p = possessive,
# d = demonstrative, n = numeral, z = bare noun, s = "some", l = "a lot of",
# g = generic bare noun (French definite article).
VERB_PHRASES = """
eat {o:food:aztsnl} | manger {o:food} | h | eat
drink {o:drink:zstl} | boire {o:drink} | h | bar
buy {o:food:aztsnl} | acheter {o:food} | h | shop
prepare {o:dish:zts} | préparer {o:dish} | h | cook
cook with/1 {p:human:p} | cuisiner avec/1 {p:human} | h | cook
cook | cuisiner | h | cook
make cakes/1 | faire ~des/1 gâteaux/1 | h | cook
cut {o:veg:tz} | couper {o:veg} | o | cook
order {o:dish:zs} | commander {o:dish} | o | rest
order {o:drink:zs} | commander {o:drink} | o | rest
taste {o:food:td} | goûter {o:food} | o |
have breakfast/1 | prendre le/1 petit-déjeuner/1 | h | eat day
have lunch/V | déjeuner | h | eat day
have dinner/V | dîner | h | eat day
do the dishes | faire la vaisselle | h | cook
set the table | mettre la table | h |
clean {o:room:tp} | nettoyer {o:room} | h |
tidy {o:room:tp} | ranger {o:room} | h |
open {o:opening:t} | ouvrir {o:opening} | o |
close {o:opening:t} | fermer {o:opening} | o |
water the flowers | arroser les fleurs | h | garden
turn on/V the/1 light/2 | allumer la/1 lumière/2 | o | roomin
turn off/V the/1 light/2 | éteindre la/1 lumière/2 | o | roomin
repair {o:vehicle:tpd} | réparer {o:vehicle} | o | adult
repair {o:device:tpd} | réparer {o:device} | o | adult
sell {o:vehicle:tpd} | vendre {o:vehicle} | o | adult
sell {o:house:tpd} | vendre {o:house} | o | adult
buy {o:house:adt} | acheter {o:house} | o | adult
buy {o:vehicle:adt} | acheter {o:vehicle} | o | adult
buy {o:device:adt} | acheter {o:device} | o | shop
buy {o:cloth:adtnz} | acheter {o:cloth} | o | shop
buy {o:furniture:adtn} | acheter {o:furniture} | o | adult
choose {o:cloth:atd} | choisir {o:cloth} | o | shop
try on/V {o:cloth:td} | essayer {o:cloth} | o | shop
wear {o:cloth:apdt} | porter {o:cloth} | h |
wash {o:cloth:ptd} | laver {o:cloth} | o |
wash {o:dishware:td} | laver {o:dishware} | o |
wash {o:vehicle:tp} | laver {o:vehicle} | o |
lose {o:portable:ptd} | perdre {o:portable} | o | lost
find {o:portable:ptd} | trouver {o:portable} | o | lost
look for/V {o:portable:ptd} | chercher {o:portable} | h |
look for/V {o:cloth:ptd} | chercher {o:cloth} | h |
break {o:fragile:atd} | casser {o:fragile} | o |
break {o:device:ptd} | casser {o:device} | o |
use {o:device:pta} | utiliser {o:device} | h |
carry {o:luggage:tpda} | porter {o:luggage} | h |
forget {o:portable:ptd} | oublier {o:portable} | o | lost
put {o:portable:pt} on/1 {p:furniture=table,chair,bed,desk,sofa:t} | mettre {o:portable} sur/1 {p:furniture} | o |
put {o:small:ptd} in/1 {p:luggage:t} | mettre {o:small} dans/1 {p:luggage} | o |
put {o:dishware:td} on the table | mettre {o:dishware} sur la table | o |
read {o:text:aztdnl} | lire {o:text} | h | read
write {o:mail:azn} | écrire {o:mail} | h |
write {o:mail:a} {d:human} | écrire {o:mail} {d:human} | o |
read {o:mail:tpd} | lire {o:mail} | o |
receive {o:mail:aznl} | recevoir {o:mail} | h |
send {o:mail:a} {d:human} | envoyer {o:mail} {d:human} | o |
study {o:subject:g} | étudier {o:subject} | h | study
teach {o:subject:g} | enseigner {o:subject} | h | adult
learn {o:language:g} | apprendre {o:language} | h | study
speak {p:language:b} with/1 {p:human:p} | parler {p:language} avec/1 {p:human} | h |
do {my} homework/1 | faire {my:p} devoirs/1 | h | study
work | travailler | h | work
work with/1 {p:human:p} | travailler avec/1 {p:human} | h | work
finish {o:task=exercise,lesson,exam:td} | finir {o:task} | o |
prepare {o:task=exercise,lesson,exam:td} | préparer {o:task} | o |
answer {p:task=question:td} | répondre à/V {p:task} | o |
ask a question | poser ~une question | o |
understand {o:task=exercise,lesson,problem,question:td} | comprendre {o:task} | o |
explain {o:task=exercise,lesson,problem:td} to/1 {p:human:pt} | expliquer {o:task} à/1 {p:human} | o |
finish {o:text:td} | finir {o:text} | o |
print {o:file=document:atdn} | imprimer {o:file} | o |
print {o:gift=photo:atdn} | imprimer {o:gift} | o |
download {o:file:atdn} | télécharger {o:file} | o |
delete {o:file:td} | supprimer {o:file} | o |
change {my} password/1 | changer {my:m} mot/1 de/1 passe/1 | o |
charge {o:device:pt} | charger {o:device} | o |
install {o:file=application:atd} | installer {o:file} | o |
play video/1 games/2 | jouer aux/2 jeux/2 vidéo/1 | h | home
go to {p:town:t} | aller à {p:town} | h |
go to {p:town:t} with {p:human:p} | aller à {p:town} avec {p:human} | h |
go to {p:nature=beach,river,lake:t} | aller à {p:nature} | h |
go to the/1 doctor/2 | aller chez le/1 médecin/2 | o |
go to the/1 dentist/2 | aller chez le/1 dentiste/2 | o |
go home/V | rentrer à/V la/V maison/V | h |
arrive at {p:town:t} | arriver à {p:town} | o |
leave {p:town:t} | quitter {p:town} | o |
go to/1 {p:city} | aller à/1 {p:city} | o |
go to/1 {p:country} | aller @in/1 {p:country} | o |
travel in/1 {p:country} | voyager @in/1 {p:country} | h |
come back/V from/1 {p:country} | revenir @from/1 {p:country} | o |
come back/V from/1 {p:city} | revenir de/1 {p:city} | o |
visit {o:sight=castle,farm,village,city:adt} | visiter {o:sight} | o |
visit {o:town=museum:adt} | visiter {o:town} | o |
visit {p:city} with/1 {p:human:p} | visiter {p:city} avec/1 {p:human} | o |
take {o:transport:t} | prendre {o:transport} | h |
take {o:portable:ptd} | prendre {o:portable} | o |
miss {o:transport:t} | rater {o:transport} | o |
miss {o:transport=train,plane:t} | rater {o:transport} | o |
miss {o:event=meeting,match,concert,party:td} | rater {o:event} | o |
wait for/V {o:transport:t} | attendre {o:transport} | h |
book {o:house=flat:a} | réserver {o:house} | o | adult
book a/1 room/2 | réserver ~une/1 chambre/2 | o | adult
pack {my} suitcase/1 | faire {my:f} valise/1 | o |
drive {o:vehicle=car:pta} | conduire {o:vehicle} | h | adult
ride a/1 bike/1 | faire ~du/1 vélo/1 | h | outside
stay at/1 home/2 | rester à/1 la/2 maison/2 | h |
stay at/1 home/2 with/3 {p:human:p} | rester à/1 la/2 maison/2 avec/3 {p:human} | h |
take a medicine | prendre ~un médicament | o |
sleep | dormir | h | sleep
rest | se_reposer | h | home
run | courir | h | outside
walk | marcher | h | outside
swim | nager | h | water
do sport/V | faire ~du/V sport/V | h |
do sport/1 with/2 {p:human:p} | faire ~du/1 sport/1 avec/2 {p:human} | h |
smoke | fumer | h | outside adult
brush {my} teeth/1 | si_brosser les/{my} dents/1 | h |
wash {my} hands/1 | si_laver les/{my} mains/1 | h |
break {my} leg/1 | si_casser la/{my} jambe/1 | o |
break {my} arm/1 | si_casser le/{my} bras/1 | o |
break {my} foot/1 | si_casser le/{my} pied/1 | o |
wake up/V | se_réveiller | h | day
wake up/V early/1 | se_réveiller tôt/1 | h | day
get up/V | se_lever | h | day
get up/V late/1 | se_lever tard/1 | h | day
get dressed/V | se_habiller | h | day
go to/V bed/V | se_coucher | h | day
go to/V bed/V early/1 | se_coucher tôt/1 | h | day
hurry | se_dépêcher | h |
fall | tomber | o | lost
play {p:sport:g} | jouer à/V {p:sport} | h | field
play {p:sport:g} with/1 {p:human:p} | jouer à/V {p:sport} avec/1 {p:human} | h | field
play {p:instrument:t} | jouer de/V {p:instrument} | h |
learn {p:instrument:t} | apprendre {p:instrument} | h |
watch {o:watchable:atdn} | regarder {o:watchable} | h | home
watch television/1 | regarder la/1 télévision/1 | h | home
listen to/V music/1 | écouter ~de+la/1 musique/1 | h | home
listen to/V {o:event=song:td} | écouter {o:event} | h | home
sing {o:event=song:atdn} | chanter {o:event} | h |
sing | chanter | h |
dance | danser | h |
dance with {p:human:p} | danser avec {p:human} | h |
draw {o:animal:an} | dessiner {o:animal} | h |
take photos/1 | prendre ~des/1 photos/1 | h | outside
work in/1 the/2 garden/3 | travailler dans/1 le/2 jardin/3 | h |
go for/V a/V walk/V | se_promener | h | outside
have fun/V | se_amuser | h | outside
win {o:event=match:tdan} | gagner {o:event} | o |
prepare {o:event=party,meeting,trip:td} | préparer {o:event} | o |
organise {o:event=party,meeting,concert:ad} | organiser {o:event} | o | adult
celebrate {o:event=birthday:p} | fêter {o:event} | o |
laugh | rire | h |
cry | pleurer | h |
smile | sourire | h |
get angry/V | se_fâcher | h |
worry | se_inquiéter | h |
meet {o:folk:at} | rencontrer {o:folk} | o | lost
meet {o:known:pa} | rencontrer {o:known} | o | lost
invite {o:human:p} | inviter {o:human} | o |
help {o:human:p} | aider {o:human} | h |
help {o:folk:td} | aider {o:folk} | o |
wait for/V {o:human:p} | attendre {o:human} | h |
call {o:human:p} | appeler {o:human} | h |
thank {o:human:pt} | remercier {o:human} | o |
look at/V {o:human:p} | regarder {o:human} | h |
listen to/V {o:human:p} | écouter {o:human} | h |
kiss {o:human:p} | embrasser {o:human} | h |
kiss {o:baby:td} | embrasser {o:baby} | o |
wash {o:baby:td} | laver {o:baby} | o |
look at/V {o:baby:td} | regarder {o:baby} | h |
visit {o:nature=island:adt} | visiter {o:nature} | o |
swim in/1 {p:nature=river,lake,sea:t} | nager dans/1 {p:nature} | h |
walk in the mountains | marcher à la montagne | h |
see {o:human:p} | voir {o:human} | o |
photograph {o:animal:atdn} | photographier {o:animal} | o |
give {o:gift:an} {d:human} | donner {o:gift} {d:human} | o |
give {o:portable:t} {d:human} | donner {o:portable} {d:human} | o |
show {o:gift=photo:tan} {d:human} | montrer {o:gift} {d:human} | o |
show {o:house:t} {d:human} | montrer {o:house} {d:human} | o |
lend {o:vehicle:tp} {d:human} | prêter {o:vehicle} {d:human} | o | adult
lend {o:portable:p} {d:human} | prêter {o:portable} {d:human} | o |
tell {o:text=story:a} {d:human} | raconter {o:text} {d:human} | o |
bring {o:gift:an} {d:human} | apporter {o:gift} {d:human} | o |
talk to/1 {p:human:p} | parler à/1 {p:human} | h |
talk about/1 {p:event=trip,party,holiday:tp} | parler de/1 {p:event} | h |
pay for/V {o:transport=taxi:t} | payer {o:transport} | o | adult
like {o:food:gd} | aimer {o:food} | s |
like {o:sport:g} | aimer {o:sport} | s |
like {o:subject:g} | aimer {o:subject} | s |
like {o:media:dg} | aimer {o:media} | s |
like {o:drink:gd} | aimer {o:drink} | s |
love {o:food:g} | adorer {o:food} | s |
love {o:animal:g} | adorer {o:animal} | s |
love {o:human:p} | aimer {o:human} | s |
love {o:city} | adorer {o:city} | s |
hate {o:food:g} | détester {o:food} | s |
hate {o:subject:g} | détester {o:subject} | s |
hate {o:drink:g} | détester {o:drink} | s |
prefer {o:food:gd} | préférer {o:food} | s |
prefer {o:drink:g} | préférer {o:drink} | s |
prefer {o:cloth:td} | préférer {o:cloth} | s |
have {o:vehicle:an} | avoir {o:vehicle} | s |
have {o:device:an} | avoir {o:device} | s |
have {o:pet:an} | avoir {o:pet} | s |
have {o:kin=brother,sister,cousin:n} | avoir {o:kin} | s |
have {o:event=idea,meeting,dream:a} | avoir {o:event} | s |
want {o:pet:an} | vouloir {o:pet} | s |
want {o:device:ad} | vouloir {o:device} | s |
want {o:drink:zs} | vouloir {o:drink} | s |
need {p:device:a} | avoir besoin/V de/V {p:device} | s |
need {p:portable:atp} | avoir besoin/V de/V {p:portable} | s |
know {o:human:p} | connaître {o:human} | s |
know {o:sight:td} | connaître {o:sight} | s |
know {o:city} well/1 | connaître bien/1 {o:city} | s |
speak {p:language:b} | parler {p:language} | s |
live in/1 {p:city} | habiter à/1 {p:city} | s |
live in/1 {p:country} | habiter @in/1 {p:country} | s |
live in/1 {p:house:a} | habiter dans/1 {p:house} | s |
live with/1 {p:human:p} | habiter avec/1 {p:human} | s |
"""

# Verb phrases of animals.
# States of people that follow "be" or "have"; also used as causes.
STATE_PHRASES = """
be {a:feeling} | être {a:feeling} | s |
be very/1 {a:feeling=happy,sad,tired,ill,worried,proud,nervous,calm,surprised,jealous,busy,angry,disappointed} | être très/1 {a:feeling} | s |
be a/1 bit/1 {a:feeling=sad,tired,ill,worried,nervous,surprised,jealous,angry,disappointed} | être un/1 peu/1 {a:feeling} | s |
be {a:feeling=ready,alone} | être {a:feeling} | s |
seem {a:feeling=happy,sad,tired,ill,worried,proud,nervous,calm,surprised,busy,disappointed} | sembler {a:feeling} | s |
be {a:human} | être {a:human} | s |
be very/1 {a:human} | être très/1 {a:human} | s |
be too/1 {a:human=shy,lazy,serious,generous,curious,young,kind} | être trop/1 {a:human} | s |
be really/1 {a:human} | être vraiment/1 {a:human} | s |
be hungry | avoir faim | s |
be very/1 hungry/2 | avoir très/1 faim/2 | s |
be thirsty | avoir soif | s |
be cold | avoir froid | s |
be hot | avoir chaud | s |
be sleepy | avoir sommeil | s |
be afraid | avoir peur | s |
be afraid/1 of/2 {p:animal:g} | avoir peur/1 de/2 {p:animal} | s |
be right | avoir raison | s |
be wrong | avoir tort | s |
be late/1 | être en/1 retard/1 | s |
be on/1 time/2 | être à/1 le/2 heure/2 | s |
be on holiday | être en vacances | s |
be at/1 home/2 | être à/1 la/2 maison/2 | s |
be at {p:town:t} | être à {p:town} | s |
have a headache/1 | avoir mal/1 à/1 la/1 tête/1 | s |
have time/1 | avoir le/1 temps/1 | s |
have a fever/1 | avoir ~de+la/1 fièvre/1 | s |
be in/1 {p:city} | être à/1 {p:city} | s |
"""

# Sentences about the weather: the subject is "it" or "il".
WEATHER_PHRASES = """
rain | pleuvoir | h |
snow | neiger | h |
be cold | faire froid | s |
be very cold | faire très froid | s |
be hot | faire chaud | s |
be too hot | faire trop chaud | s |
be nice | faire beau | s |
be windy/1 | y_avoir ~du/1 vent/1 | s |
be foggy/1 | y_avoir ~du/1 brouillard/1 | s |
"""

# Verbs that take an infinitive: english | french | kind | "h" when the verb
# after it must be a habit.
CONTROL_PHRASES = """
want to | vouloir | s |
need to/1 | avoir besoin/V de/1 | s |
like to | aimer | s | h
love to | adorer | s | h
hate to | détester | s | h
prefer to | préférer | s | h
hope to | espérer | s |
have to/V | devoir | e |
try to/1 | essayer de/1 | e |
decide to/1 | décider de/1 | o |
forget to/1 | oublier de/1 | o |
start to/1 | commencer à/1 | o | h
refuse to/1 | refuser de/1 | o |
learn to/1 | apprendre à/1 | o | h
know how/V to | savoir | s | h
"""

# Two-part stories about one thing: the object class, what happens first and
# what is then said of it with "it" or "them".
STORIES = """
cloth: buy {o} | acheter {o}; choose {o} | choisir {o}; find {o} | trouver {o} => wear {o} | porter {o}; wash {o} | laver {o}; sell {o} | vendre {o}; lose {o} | perdre {o}; like {o} | aimer {o}
pairs: buy {o} | acheter {o}; choose {o} | choisir {o} => wear {o} | porter {o}; wash {o} | laver {o}; lose {o} | perdre {o}; sell {o} | vendre {o}
portable: find {o} | trouver {o}; take {o} | prendre {o}; buy {o} | acheter {o} => lose {o} | perdre {o}; forget {o} | oublier {o}; put {o} on/1 the/2 table/3 | mettre {o} sur/1 la/2 table/3; give {o} {d:human} | donner {o} {d}; show {o} {d:human} | montrer {o} {d}
text: buy {o} | acheter {o}; find {o} | trouver {o}; read {o} | lire {o} => read {o} | lire {o}; give {o} {d:human} | donner {o} {d}; lose {o} | perdre {o}; like {o} | aimer {o}; finish {o} | finir {o}
mail: receive {o} | recevoir {o}; write {o} | écrire {o} => read {o} | lire {o}; show {o} {d:human} | montrer {o} {d}
device: buy {o} | acheter {o}; find {o} | trouver {o} => use {o} | utiliser {o}; sell {o} | vendre {o}; break {o} | casser {o}; repair {o} | réparer {o}
vehicle: buy {o} | acheter {o}; choose {o} | choisir {o} => sell {o} | vendre {o}; wash {o} | laver {o}; repair {o} | réparer {o}; lend {o} {d:human} | prêter {o} {d}
countfood: buy {o} | acheter {o}; choose {o} | choisir {o}; order {o} | commander {o} => eat {o} | manger {o}; cut {o} | couper {o}
fruit: buy {o} | acheter {o}; choose {o} | choisir {o} => eat {o} | manger {o}; wash {o} | laver {o}; cut {o} | couper {o}
veg: buy {o} | acheter {o}; choose {o} | choisir {o} => eat {o} | manger {o}; wash {o} | laver {o}; cut {o} | couper {o}
fragile: buy {o} | acheter {o}; take {o} | prendre {o} => break {o} | casser {o}; wash {o} | laver {o}; put {o} in/1 the/2 kitchen/3 | mettre {o} dans/1 la/2 cuisine/3
file: download {o} | télécharger {o} => delete {o} | supprimer {o}; send {o} {d:human} | envoyer {o} {d}
watchable: watch {o} | regarder {o}; see {o} | voir {o} => like {o} | aimer {o}; hate {o} | détester {o}; understand {o} | comprendre {o}
folk: meet {o} | rencontrer {o}; see {o} | voir {o} => help {o} | aider {o}; thank {o} | remercier {o}; invite {o} | inviter {o}; call {o} | appeler {o}
known: meet {o} | rencontrer {o}; see {o} | voir {o} => invite {o} | inviter {o}; kiss {o} | embrasser {o}; thank {o} | remercier {o}
"""

# Effects and causes that fit together: "effects <= causes".
CAUSES = """
+rest | se_reposer | h; +go to/V bed/V early/1 | se_coucher tôt/1 | h; +stay at/1 home/2 | rester à/1 la/2 maison/2 | h; +go home/V | rentrer à/V la/V maison/V | h; -work | travailler | h; -go to {p:town=cinema,restaurant,theatre,swimming_pool:t} | aller à {p:town} | h; -do sport/V | faire ~du/V sport/V | h; -cook | cuisiner | h <= be {a:feeling=tired,ill} | être {a:feeling} | s; be very/1 {a:feeling=tired,ill} | être très/1 {a:feeling} | s; have a headache/1 | avoir mal/1 à/1 la/1 tête/1 | s; be sleepy | avoir sommeil | s
+eat {o:food:az} | manger {o:food} | h; +buy {o:food:az} | acheter {o:food} | h; +prepare {o:dish:z} | préparer {o:dish} | h; +go to {p:town=restaurant,bakery:t} | aller à {p:town} | h; +order {o:dish:z} | commander {o:dish} | o <= be hungry | avoir faim | s; be very/1 hungry/2 | avoir très/1 faim/2 | s
+drink {o:drink=water,lemonade,orange_juice,milk:z} | boire {o:drink} | h; +buy {o:drink=water,lemonade,orange_juice:z} | acheter {o:drink} | h; +order {o:drink=water,lemonade,orange_juice:z} | commander {o:drink} | o <= be thirsty | avoir soif | s; be hot | avoir chaud | s
+wear {o:cloth=coat,sweater,scarf,jacket:a} | porter {o:cloth} | h; +close {o:opening:t} | fermer {o:opening} | o; +drink {o:drink=tea,coffee:z} | boire {o:drink} | h; +buy {o:cloth=coat,sweater,scarf:a} | acheter {o:cloth} | o; -swim | nager | h; -open {o:opening=window:t} | ouvrir {o:opening} | o <= be cold | avoir froid | s; be very/1 cold/2 | avoir très/1 froid/2 | s
+go to the/1 doctor/2 | aller chez le/1 médecin/2 | o; +take a medicine | prendre ~un médicament | o; +call {o:folk=doctor:t} | appeler {o:folk} | o; +go to {p:town=pharmacy,hospital:t} | aller à {p:town} | o; -go to {p:town=school,office:t} | aller à {p:town} | h; -work | travailler | h <= be {a:feeling=ill} | être {a:feeling} | s; have a fever/1 | avoir ~de+la/1 fièvre/1 | s; have a headache/1 | avoir mal/1 à/1 la/1 tête/1 | s
+hurry | se_dépêcher | h; +run | courir | h; +take {o:transport=taxi:a} | prendre {o:transport} | o; -have breakfast/1 | prendre le/1 petit-déjeuner/1 | h; -wait for/V {o:transport=bus:t} | attendre {o:transport} | h <= be late/1 | être en/1 retard/1 | s; be very/1 late/2 | être très/1 en/2 retard/2 | s
+smile | sourire | h; +sing | chanter | h; +dance | danser | h; +laugh | rire | h; +call {o:human:p} | appeler {o:human} | h; +invite {o:human:p} | inviter {o:human} | o; +organise {o:event=party:a} | organiser {o:event} | o <= be {a:feeling=happy,proud} | être {a:feeling} | s; be very/1 {a:feeling=happy,proud} | être très/1 {a:feeling} | s; be on holiday | être en vacances | s
+cry | pleurer | h; +call {o:human:p} | appeler {o:human} | h; +stay at/1 home/2 | rester à/1 la/2 maison/2 | h; -laugh | rire | h; -sleep | dormir | h; -eat | manger | h; -smile | sourire | h <= be {a:feeling=sad,worried,nervous,disappointed} | être {a:feeling} | s; be very/1 {a:feeling=sad,worried,disappointed} | être très/1 {a:feeling} | s; be afraid | avoir peur | s
+go to {p:town=museum,theatre,library,swimming_pool,park:t} | aller à {p:town} | h; +visit {o:sight=castle,village,farm:at} | visiter {o:sight} | o; +travel in/1 {p:country} | voyager @in/1 {p:country} | h; +read {o:text=book,novel:az} | lire {o:text} | h; -work | travailler | h; +have fun/V | se_amuser | h; +learn {p:instrument:t} | apprendre {p:instrument} | h <= be on holiday | être en vacances | s; have time/1 | avoir le/1 temps/1 | s
"""

# Plans for good and for bad weather: "plans <= weather".
PLANS = """
stay at/1 home/2 | rester à/1 la/2 maison/2 | h; watch {o:watchable=film:a} | regarder {o:watchable} | h; read {o:text=book,novel:a} | lire {o:text} | h; go to {p:town=cinema,museum,library:t} | aller à {p:town} | h; play video/1 games/2 | jouer aux/2 jeux/2 vidéo/1 | h; cook | cuisiner | h; take {o:transport=bus:t} | prendre {o:transport} | h <= rain | pleuvoir | h; snow | neiger | h; be cold | faire froid | s; be windy/1 | y_avoir ~du/1 vent/1 | s
take {o:portable=umbrella:p} | prendre {o:portable} | h; wear {o:cloth=coat,jacket:p} | porter {o:cloth} | h; take {o:transport=bus,taxi:t} | prendre {o:transport} | h; close {o:opening=window:t} | fermer {o:opening} | h <= rain | pleuvoir | h
go for/V a/V walk/V | se_promener | h; go to {p:nature=beach:t} | aller à {p:nature} | h; swim in/1 {p:nature=sea,lake:t} | nager dans/1 {p:nature} | h; ride a/1 bike/1 | faire ~du/1 vélo/1 | h; eat in/1 the/2 garden/3 | manger dans/1 le/2 jardin/3 | h; play {p:sport=football,tennis,volleyball:g} in/1 the/2 park/3 | jouer à/V {p:sport} dans/1 le/2 parc/3 | h; take photos/1 | prendre ~des/1 photos/1 | h <= be nice | faire beau | s; be hot | faire chaud | s; be very/1 hot/2 | faire très/1 chaud/2 | s
"""

# Short phrases of politeness; "{v}" takes a name or a form of address.
GREETINGS = """
hello | bonjour
good/1 morning/1 | bonjour/1
good/1 evening/1 | bonsoir/1
good/1 night/2 | bonne/1 nuit/2
thank/1 you/1 | merci/1
thank/1 you/1 very/2 much/2 | merci/1 beaucoup/2
goodbye/1 | au/1 revoir/1
see/1 you/1 tomorrow/2 | à/1 demain/2
see/1 you/1 soon/2 | à/1 bientôt/2
happy/1 birthday/2 | joyeux/1 anniversaire/2
welcome | bienvenue
congratulations | félicitations
of/1 course/1 | bien/1 sûr/1
good/1 luck/2 | bonne/1 chance/2
have/1 a/2 good/3 trip/4 | bon/3 voyage/4
enjoy/1 your/1 meal/1 | bon/1 appétit/1
yes | oui
no | non
sorry/1 | désolé/1
"""

# Forms of address that make "you" polite: english french gender number.
ADDRESS = "sir/1 monsieur/1 m s, madam/1 madame/1 f s, children/1 les/1_enfants/1 m p, my/1_friends/2 mes/1_amis/2 m p"

# Adjectives that cannot be said together of one thing.
OPPOSITES = "clean dirty, old new, old modern, new old, big small, fast slow, heavy light, easy difficult, interesting boring, long short, hot cold, empty full, quiet noisy, excellent boring, good boring, empty heavy, magnificent boring, beautiful boring, excellent good, long boring, magnificent beautiful, big long, new dirty, beautiful pretty, big light"

ANIMAL_PHRASES = """
sleep on/1 {p:furniture=sofa,bed,chair:t} | dormir sur/1 {p:furniture} | h |
sleep under/1 {p:furniture=table,bed,chair:t} | dormir sous/1 {p:furniture} | h |
drink {o:drink=water,milk:zst} | boire {o:drink} | h |
eat {o:dish=meat,fish,chicken:zt} | manger {o:dish} | h |
run in/1 {p:town=park:t} | courir dans/1 {p:town} | h |
play with/1 {p:gift=ball:at} | jouer avec/1 {p:gift} | h |
play in/1 the/2 garden/3 | jouer dans/1 le/2 jardin/3 | h |
look at/V {o:animal=bird,mouse,cat:tan} | regarder {o:animal} | h |
"""

# Places a verb phrase may be followed by, by tag.
PLACES = """
eat: at/1 home/2 | à/1 la/2 maison/2; in the kitchen | dans la cuisine; at the restaurant | à le restaurant; in the garden | dans le jardin; at school/2 | à la/2 école/2
bar: at/1 home/2 | à/1 la/2 maison/2; in the garden | dans le jardin; at the restaurant | à le restaurant
field: in the park | dans le parc; on the beach | sur la plage; in the garden | dans le jardin; at school/2 | à la/2 école/2
shop: at the supermarket | à le supermarché; at the market | à le marché; in this shop | dans ce magasin
cook: in the kitchen | dans la cuisine; at/1 home/2 | à/1 la/2 maison/2
rest: at the restaurant | à le restaurant; at the hotel | à le hôtel
garden: in the garden | dans le jardin
roomin: in the kitchen | dans la cuisine; in the living/3 room/3 | dans le salon/3; in the bedroom | dans la chambre
lost: at the station | à la gare; in the street | dans la rue; at the airport | à le aéroport; in the park | dans le parc; on the beach | sur la plage
read: in the garden | dans le jardin; on the sofa | sur le canapé; on the train | dans le train; at the library | à la bibliothèque
study: at the library | à la bibliothèque; at school/2 | à la/2 école/2; at the university | à la université
work: at the office | à le bureau; at the hospital | à le hôpital; in a bank | dans une banque; at/1 home/2 | à/1 la/2 maison/2
home: at/1 home/2 | à/1 la/2 maison/2; in the living/3 room/3 | dans le salon/3; in the bedroom | dans la chambre
outside: in the park | dans le parc; in the garden | dans le jardin; on the beach | sur la plage; in the forest | dans la forêt
water: in the sea | dans la mer; in the lake | dans le lac; in the swimming/3 pool/3 | dans la piscine/3
sleep: in the living/3 room/3 | dans le salon/3; on the sofa | sur le canapé; on the train | dans le train; in a tent | dans une tente
"""

# Time expressions by tense group; "front" ones may open the sentence.
TIMES = """
habit: every/1 day/2 | tous/1 les/1 jours/2; every/1 morning/2 | tous/1 les/1 matins/2; every/1 evening/2 | tous/1 les/1 soirs/2; every/1 week/2 | toutes/1 les/1 semaines/2; on/1 {daypl}/2 | le/1 {day}/2; in/1 the/1 morning/2 | le/1 matin/2; in/1 the/1 evening/2 | le/1 soir/2; in/1 the/1 afternoon/2 | le/1 après-midi/2; in summer | en été; in winter | en hiver; after work/2 | après le/2 travail/2; during the holidays | pendant les vacances; at/1 the/2 weekend/3 | le/12 week-end/3; once/1 a/2 week/3 | une/1 fois/1 par/2 semaine/3; twice/1 a/2 month/3 | deux/1 fois/1 par/2 mois/3
now: now | maintenant; right/1 now/1 | en/1 ce/1 moment/1; today/1 | aujourd'hui/1; this morning | ce matin
past: yesterday | hier; yesterday morning | hier matin; last/1 night/2 | hier/1 soir/2; last/1 week/2 | la/2 semaine/2 dernière/1; last/1 month/2 | le/2 mois/2 dernier/1; last/1 year/2 | la/2 année/2 dernière/1; last/1 {day}/2 | {day}/2 dernier/1; two/1 days/2 ago/3 | il/3 y/3 a/3 deux/1 jours/2; three/1 weeks/2 ago/3 | il/3 y/3 a/3 trois/1 semaines/2; an/1 hour/2 ago/3 | il/3 y/3 a/3 une/1 heure/2; in/1 {year}/2 | en/1 {year}/2; on/1 {month}/2 {dom}/3 | le/1 {dom}/3 {month}/2; this morning | ce matin
future: tomorrow | demain; tomorrow morning | demain matin; tomorrow/1 evening/2 | demain/1 soir/2; tonight/1 | ce/1 soir/1; next/1 week/2 | la/2 semaine/2 prochaine/1; next/1 month/2 | le/2 mois/2 prochain/1; next/1 year/2 | la/2 année/2 prochaine/1; soon | bientôt; in/1 two/2 days/3 | dans/1 deux/2 jours/3; in/1 {month}/2 | en/1 {month}/2; on/1 {day}/2 | {day}/12; on/1 {month}/2 {dom}/3 | le/1 {dom}/3 {month}/2; this weekend | ce week-end; in an hour | dans une heure; next/1 {day}/2 | {day}/2 prochain/1
then: at/1 that/2 time/3 | à/1 cette/2 époque/3
"""

DAYS = "Monday lundi, Tuesday mardi, Wednesday mercredi, Thursday jeudi, Friday vendredi, Saturday samedi, Sunday dimanche"
MONTHS = "January janvier, February février, March mars, April avril, May mai, June juin, July juillet, August août, September septembre, October octobre, November novembre, December décembre"
NAMES_M = "Paul Pierre Thomas Lucas Antoine Nicolas Louis Marc"
NAMES_F = "Marie Julie Sophie Anne Emma Claire Léa Alice"
CITIES = "Paris Paris, London Londres, Rome Rome, Berlin Berlin, Madrid Madrid, Lyon Lyon, Tokyo Tokyo, Brussels Bruxelles, Lisbon Lisbonne, Geneva Genève, Athens Athènes, Montreal Montréal"
# f, m or p (plural) decides between en, au and aux.
COUNTRIES = "France France f, Spain Espagne f, Italy Italie f, Germany Allemagne f, England Angleterre f, Belgium Belgique f, Switzerland Suisse f, Greece Grèce f, Japan Japon m, Canada Canada m, Portugal Portugal m, Brazil Brésil m, Morocco Maroc m, the_United_States États-Unis p"
NUMBERS = "two deux, three trois, four quatre, five cinq, six six, seven sept, eight huit, nine neuf, ten dix, eleven onze, twelve douze"
PROFESSIONS = "teacher professeur professeur, doctor médecin médecin, baker boulanger boulangère, nurse infirmier infirmière, lawyer avocat avocate, engineer ingénieur ingénieure, student étudiant étudiante, farmer agriculteur agricultrice, singer chanteur chanteuse, actor acteur actrice, waiter serveur serveuse, dentist dentiste dentiste, journalist journaliste journaliste"

# Words that belong to no table above; the tests count them as lemmas too.
FUNCTION_EN = "a the my your his her our their this these some any of to in on at with from under and but because if when who that where what why how very too really quite more as than not never already often always sometimes rarely usually still yesterday today tomorrow now soon please there it I you he she we they me him them us not so then morning evening week month year day weekend"
FUNCTION_FR = "un le mon ton son notre votre leur ce de à en dans sur sous avec et mais parce si quand qui que où pourquoi comment combien très trop vraiment assez plus aussi ne pas jamais déjà souvent toujours parfois rarement généralement encore hier aujourd'hui demain maintenant bientôt plaît y je tu il elle nous vous ils elles me te se lui donc puis matin soir semaine mois année jours week-end"
