"""Names of the classes of torchvision's sets of picture files, in the order of their numbers."""

FLOWERS = tuple(
    "pink primrose|hard-leaved pocket orchid|canterbury bells|sweet pea|english marigold|"
    "tiger lily|moon orchid|bird of paradise|monkshood|globe thistle|snapdragon|colt's foot|"
    "king protea|spear thistle|yellow iris|globe-flower|purple coneflower|peruvian lily|"
    "balloon flower|giant white arum lily|fire lily|pincushion flower|fritillary|red ginger|"
    "grape hyacinth|corn poppy|prince of wales feathers|stemless gentian|artichoke|"
    "sweet william|carnation|garden phlox|love in the mist|mexican aster|alpine sea holly|"
    "ruby-lipped cattleya|cape flower|great masterwort|siam tulip|lenten rose|barbeton daisy|"
    "daffodil|sword lily|poinsettia|bolero deep blue|wallflower|marigold|buttercup|oxeye daisy|"
    "common dandelion|petunia|wild pansy|primula|sunflower|pelargonium|bishop of llandaff|"
    "gaura|geranium|orange dahlia|pink-yellow dahlia?|cautleya spicata|japanese anemone|"
    "black-eyed susan|silverbush|californian poppy|osteospermum|spring crocus|bearded iris|"
    "windflower|tree poppy|gazania|azalea|water lily|rose|thorn apple|morning glory|"
    "passion flower|lotus|toad lily|anthurium|frangipani|clematis|hibiscus|columbine|"
    "desert-rose|tree mallow|magnolia|cyclamen|watercress|canna lily|hippeastrum|bee balm|"
    "ball moss|foxglove|bougainvillea|camellia|mallow|mexican petunia|bromelia|blanket flower|"
    "trumpet creeper|blackberry lily".split("|")
)
PETS = tuple(
    "Abyssinian|American Bulldog|American Pit Bull Terrier|Basset Hound|Beagle|Bengal|Birman|"
    "Bombay|Boxer|British Shorthair|Chihuahua|Egyptian Mau|English Cocker Spaniel|"
    "English Setter|German Shorthaired|Great Pyrenees|Havanese|Japanese Chin|Keeshond|"
    "Leonberger|Maine Coon|Miniature Pinscher|Newfoundland|Persian|Pomeranian|Pug|Ragdoll|"
    "Russian Blue|Saint Bernard|Samoyed|Scottish Terrier|Shiba Inu|Siamese|Sphynx|"
    "Staffordshire Bull Terrier|Wheaten Terrier|Yorkshire Terrier".split("|")
)
FOOD = tuple(
    "apple_pie baby_back_ribs baklava beef_carpaccio beef_tartare beet_salad beignets bibimbap "
    "bread_pudding breakfast_burrito bruschetta caesar_salad cannoli caprese_salad carrot_cake "
    "ceviche cheese_plate cheesecake chicken_curry chicken_quesadilla chicken_wings "
    "chocolate_cake chocolate_mousse churros clam_chowder club_sandwich crab_cakes "
    "creme_brulee croque_madame cup_cakes deviled_eggs donuts dumplings edamame eggs_benedict "
    "escargots falafel filet_mignon fish_and_chips foie_gras french_fries french_onion_soup "
    "french_toast fried_calamari fried_rice frozen_yogurt garlic_bread gnocchi greek_salad "
    "grilled_cheese_sandwich grilled_salmon guacamole gyoza hamburger hot_and_sour_soup "
    "hot_dog huevos_rancheros hummus ice_cream lasagna lobster_bisque lobster_roll_sandwich "
    "macaroni_and_cheese macarons miso_soup mussels nachos omelette onion_rings oysters "
    "pad_thai paella pancakes panna_cotta peking_duck pho pizza pork_chop poutine prime_rib "
    "pulled_pork_sandwich ramen ravioli red_velvet_cake risotto samosa sashimi scallops "
    "seaweed_salad shrimp_and_grits spaghetti_bolognese spaghetti_carbonara spring_rolls steak "
    "strawberry_shortcake sushi tacos takoyaki tiramisu tuna_tartare waffles".split()
)
AIRCRAFT = tuple(
    "707-320|727-200|737-200|737-300|737-400|737-500|737-600|737-700|737-800|737-900|747-100|"
    "747-200|747-300|747-400|757-200|757-300|767-200|767-300|767-400|777-200|777-300|A300B4|"
    "A310|A318|A319|A320|A321|A330-200|A330-300|A340-200|A340-300|A340-500|A340-600|A380|"
    "ATR-42|ATR-72|An-12|BAE 146-200|BAE 146-300|BAE-125|Beechcraft 1900|Boeing 717|C-130|C-47|"
    "CRJ-200|CRJ-700|CRJ-900|Cessna 172|Cessna 208|Cessna 525|Cessna 560|Challenger 600|DC-10|"
    "DC-3|DC-6|DC-8|DC-9-30|DH-82|DHC-1|DHC-6|DHC-8-100|DHC-8-300|DR-400|Dornier 328|E-170|"
    "E-190|E-195|EMB-120|ERJ 135|ERJ 145|Embraer Legacy 600|Eurofighter Typhoon|F-16A/B|F/A-18|"
    "Falcon 2000|Falcon 900|Fokker 100|Fokker 50|Fokker 70|Global Express|Gulfstream IV|"
    "Gulfstream V|Hawk T1|Il-76|L-1011|MD-11|MD-80|MD-87|MD-90|Metroliner|Model B200|PA-28|"
    "SR-20|Saab 2000|Saab 340|Spitfire|Tornado|Tu-134|Tu-154|Yak-42".split("|")
)
TEXTURES = tuple(
    "banded blotchy braided bubbly bumpy chequered cobwebbed cracked crosshatched crystalline "
    "dotted fibrous flecked freckled frilly gauzy grid grooved honeycombed interlaced knitted "
    "lacelike lined marbled matted meshed paisley perforated pitted pleated polka-dotted porous "
    "potholed scaly smeared spiralled sprinkled stained stratified striped studded swirly "
    "veined waffled woven wrinkled zigzagged".split()
)
LAND = (
    "AnnualCrop",
    "Forest",
    "HerbaceousVegetation",
    "Highway",
    "Industrial",
    "Pasture",
    "PermanentCrop",
    "Residential",
    "River",
    "SeaLake",
)
SIGNS = tuple(
    "speed limit 20|speed limit 30|speed limit 50|speed limit 60|speed limit 70|speed limit 80|"
    "end of speed limit 80|speed limit 100|speed limit 120|no passing|no passing for lorries|"
    "right of way at the next crossing|priority road|yield|stop|no vehicles|no lorries|"
    "no entry|general caution|curve to the left|curve to the right|double curve|bumpy road|"
    "slippery road|road narrows on the right|road work|traffic signals|pedestrians|"
    "children crossing|bicycles crossing|ice or snow|wild animals crossing|"
    "end of all limits|turn right ahead|turn left ahead|ahead only|straight or right|"
    "straight or left|keep right|keep left|roundabout|end of no passing|"
    "end of no passing for lorries".split("|")
)
IMAGENETTE = (
    "tench",
    "English springer",
    "cassette player",
    "chain saw",
    "church",
    "French horn",
    "garbage truck",
    "gas pump",
    "golf ball",
    "parachute",
)
OBJECTS = tuple(
    "Faces Faces_easy Leopards Motorbikes accordion airplanes anchor ant barrel bass beaver "
    "binocular bonsai brain brontosaurus buddha butterfly camera cannon car_side ceiling_fan "
    "cellphone chair chandelier cougar_body cougar_face crab crayfish crocodile crocodile_head "
    "cup dalmatian dollar_bill dolphin dragonfly electric_guitar elephant emu euphonium ewer "
    "ferry flamingo flamingo_head garfield gerenuk gramophone grand_piano hawksbill headphone "
    "hedgehog helicopter ibis inline_skate joshua_tree kangaroo ketch lamp laptop llama lobster "
    "lotus mandolin mayfly menorah metronome minaret nautilus octopus okapi pagoda panda pigeon "
    "pizza platypus pyramid revolver rhino rooster saxophone schooner scissors scorpion "
    "sea_horse snoopy soccer_ball stapler starfish stegosaurus stop_sign strawberry sunflower "
    "tick trilobite umbrella watch water_lilly wheelchair wild_cat windsor_chair wrench "
    "yin_yang".split()
)
