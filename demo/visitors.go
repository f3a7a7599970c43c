package demo

// The three robots.
const (
	ari   = "ari"
	tiago = "tiago"
	lumen = "lumen"
)

var robotNames = map[string]string{ari: "ARI", tiago: "TIAGo", lumen: "Lumen"}

// session is one of the morning's sessions.
type session struct {
	place string // where it happens
	pause int    // minutes since the end of the previous one
	turns []turn
}

// turn is a visitor's sentence, and the answer of the robot that is addressed.
type turn struct {
	wait     int // seconds since the previous turn
	who      string
	robot    string
	text     string
	decision string // what the robot decides to do, for the label
	answer   string
	mood     mood  // what the robot reads in the visitor's face, if anything
	upset    bool  // the mood follows from the robot's previous answer
	heard    heard // by another robot, if any
	also     heard // by a third one
}

// mood is an emotion.
type mood struct {
	name       string // of the six basic emotions
	intensity  float64
	confidence float64
}

// heard describes what a second robot understands of a turn.
type heard struct {
	robot   string
	text    string // the words that it understood, if others
	who     string // whom it recognizes: knows, "" for nobody, noName for a placeholder, or another name of the visitor
	how     string // "vision" if it reads the lips
	late    int    // milliseconds after the first robot
	mood    mood
	verdict string // how the curator decided the case, "accept" or "reject"; "" means that it waits
	note    string // what the curator notes about the case
	ask     bool   // --live asks the audience
}

const (
	knows  = "knows"
	noName = "unknown"
)

// sure is a second robot that recognizes the visitor.
func sure(robot string, late int) heard { return heard{robot: robot, who: knows, late: late} }

// unsure is a second robot that does not see who speaks.
func unsure(robot string, late int) heard { return heard{robot: robot, late: late} }

var morning = []session{opening, lighthouse, courtyard}

// opening is the first session: the doors open.
var opening = session{place: "entrance", turns: []turn{
	{who: "Amara", robot: ari, text: "Hello. When does the next whale tour begin?", decision: "gives the time of the tour",
		answer: "Hello, Amara. It begins in ten minutes, below the skeleton.", heard: sure(tiago, 420)},
	{wait: 24, who: "Bruno", robot: tiago, text: "Could you take my rucksack to a locker?", decision: "carries the rucksack",
		answer: "Of course. It will be in locker fourteen.", heard: unsure(ari, 510)},
	{wait: 21, who: "Chiara", robot: ari, text: "Is there a lift to the second floor?", decision: "shows the way to the lift",
		answer: "Yes, behind the ticket desk on your left.", heard: unsure(tiago, 380)},
	{wait: 19, who: "Dmitri", robot: lumen, text: "Two tickets and one for a student, please.", decision: "sells three tickets",
		answer: "That is twenty-two euros. Enjoy your visit.", heard: unsure(ari, 640)},
	{wait: 26, who: "Elif", robot: ari, text: "My son is looking for the dinosaurs.", decision: "leads the way to the dinosaurs",
		answer: "Follow the footprints on the floor. They lead right to them.", mood: mood{"happiness", 0.71, 0.88}, heard: sure(tiago, 350)},
	{wait: 17, who: "Farid", robot: tiago, text: "Are photographs allowed in here?", decision: "explains the rule on photographs",
		answer: "Yes, without flash.", heard: sure(lumen, 2600)},
	{wait: 22, who: "Greta", robot: ari, text: "That skeleton moved! I saw it move!", decision: "calms Greta",
		answer: "It only hangs from long wires, Greta, and the air moves it.", mood: mood{"fear", 0.82, 0.91}, heard: sure(tiago, 290)},
	{wait: 16, who: "Greta", robot: ari, text: "So it does not bite. May I touch the tail?", decision: "offers the model to touch",
		answer: "Not this one. The small model beside it is there to be touched.", mood: mood{"happiness", 0.76, 0.86}, heard: unsure(tiago, 480)},
	{wait: 25, who: "Hugo", robot: lumen, text: "I left an umbrella here yesterday.", decision: "looks for the umbrella",
		answer: "A black one with a wooden handle? It waits at the cloakroom.", heard: heard{robot: tiago, text: "I let a bumble bee out yesterday.", who: knows, late: 560}},
	{wait: 20, who: "Ines", robot: ari, text: "Which rooms suit a child of three?", decision: "recommends two rooms",
		answer: "The pond and the room of bells.", heard: sure(lumen, 2250)},
	{wait: 23, who: "Jonas", robot: tiago, text: "Where can I fill my water bottle?", decision: "shows the fountain",
		answer: "At the fountain beside the stairs. I am going there; come along.",
		heard:  heard{robot: ari, late: 520, verdict: "accept"}},
	{wait: 18, who: "Keiko", robot: ari, text: "Do you have an audio guide in Japanese?", decision: "hands out a guide",
		answer: "Yes. Number six on this shelf.", heard: heard{robot: tiago, text: "Do you have an audio guide in Chinese?", late: 700, who: noName}},
	{wait: 21, who: "Lars", robot: lumen, text: "How long does the museum stay open today?", decision: "gives the opening hours",
		answer: "Until six, and the café until five.", heard: unsure(ari, 1450)},
	{wait: 19, who: "Mateo", robot: ari, text: "We are twelve pupils and one teacher.", decision: "hands out stickers",
		answer: "Welcome. Please take one sticker each.", mood: mood{"happiness", 0.64, 0.82}, heard: unsure(tiago, 530)},
}}

// lighthouse is the second session: Maria looks for a painting.
var lighthouse = session{place: "gallery", pause: 48, turns: []turn{
	{who: "Noor", robot: tiago, text: "Who painted the red boats?", decision: "names the painter",
		answer: "Rosa Vidal, in the summer of 1931.", heard: unsure(ari, 430)},
	{wait: 22, who: "Maria", robot: ari, text: "ARI, I am looking for The Lighthouse. My grandfather painted it.", decision: "looks for the painting",
		answer: "I am sorry, Maria. The Lighthouse was taken down last week, after water ran into this room.", heard: sure(tiago, 380)},
	{wait: 14, who: "Maria", robot: ari, text: "Taken down? I came a long way to see it with my own eyes.", decision: "comforts Maria",
		answer: "I can see that this makes you sad, Maria. Give me a moment; I will ask where it is now.",
		mood:   mood{"sadness", 0.84, 0.93}, upset: true,
		heard: heard{robot: tiago, who: knows, late: 340, mood: mood{"sadness", 0.79, 0.81}}},
	{wait: 19, who: "Otto", robot: tiago, text: "Is that lady all right?", decision: "reassures Otto",
		answer: "Thank you for asking. ARI is with her.", heard: unsure(ari, 620)},
	{wait: 15, who: "Maria", robot: ari, text: "Will it ever hang here again?", decision: "tells what the workshop answered",
		answer: "Yes. The workshop says it dries well. You can see it there today, through the glass wall.", heard: sure(tiago, 360)},
	{wait: 17, who: "Maria", robot: ari, text: "Today? Oh, thank you, ARI. You have saved my journey.", decision: "wishes Maria a good time",
		answer: "It was a pleasure. TIAGo will show you the way.", mood: mood{"happiness", 0.92, 0.95}, upset: true,
		heard: heard{robot: tiago, who: knows, late: 310, mood: mood{"happiness", 0.88, 0.84}}},
	{wait: 20, who: "Priya", robot: ari, text: "May I draw in front of this picture?", decision: "allows drawing",
		answer: "Please do, with a pencil. There are stools in the corner.", heard: unsure(lumen, 500)},
	{wait: 18, who: "Quentin", robot: lumen, text: "This room smells of wet paper.", decision: "explains the smell",
		answer: "Water came in last week. We are drying the walls.", mood: mood{"disgust", 0.58, 0.72}, heard: unsure(ari, 2740)},
	{wait: 23, who: "Rosa", robot: ari, text: "Is the painter related to Vidal the poet?", decision: "answers about the family",
		answer: "They were sisters.", heard: heard{robot: lumen, text: "Is the waiter late with the fiddle or the poem?", who: knows, late: 590}},
	{wait: 19, who: "Samir", robot: lumen, text: "Why is there a bucket below the frame?", decision: "explains the bucket",
		answer: "The ceiling still drips a little.", mood: mood{"surprise", 0.66, 0.79}, heard: heard{robot: ari, late: 480, verdict: "reject"}},
	{wait: 24, who: "Tove", robot: ari, text: "Could you read that label to me? I forgot my glasses.", decision: "reads the label aloud",
		answer: "Fishermen at dawn. Oil on wood. Given by the harbour in 1950.", heard: sure(lumen, 330)},
	{wait: 17, who: "Uma", robot: lumen, text: "How old is the wooden floor?", decision: "gives the age of the floor",
		answer: "As old as the house: one hundred and forty years.", heard: sure(ari, 450)},
	{wait: 21, who: "Viktor", robot: ari, text: "Somebody touched the frame over there.", decision: "calls a guard",
		answer: "Thank you, Viktor. A guard is on the way.", mood: mood{"anger", 0.77, 0.83}, heard: heard{robot: lumen, how: "vision", who: knows, late: 610}},
	{wait: 18, who: "Pilar", robot: ari, text: "Can I see the workshop from here?", decision: "shows the way to the workshop",
		answer: "Through the last door, and then along the glass wall.", heard: heard{robot: lumen, how: "vision", late: 1420}},
	{wait: 20, who: "Wanda", robot: lumen, text: "When did the water come in?", decision: "tells of the flood",
		answer: "On Tuesday night, through the skylight.", heard: heard{robot: ari, text: "When did the quarter come in?", late: 650, note: "The guard says that she asked about the water. ARI stood beside the till."}},
}}

// courtyard is the third session, which --live plays in real time.
var courtyard = session{place: "courtyard", pause: 39, turns: []turn{
	{who: "Xenia", robot: ari, text: "Is this the way to the café?", decision: "shows the way to the café",
		answer: "Yes, across the courtyard. Mind the step.", heard: sure(lumen, 370)},
	{wait: 18, who: "Yusuf", robot: lumen, text: "A table for four in the shade, please.", decision: "finds a table",
		answer: "The one below the fig tree is free.", heard: heard{robot: ari, text: "A cable for the door in the shed, please.", late: 1520}},
	{wait: 20, who: "Zoe", robot: ari, text: "My balloon is stuck in the tree!", decision: "sends for help",
		answer: "Do not cry, Zoe. TIAGo has a long arm.", mood: mood{"sadness", 0.78, 0.87}, heard: heard{robot: tiago, text: "My baboon is stuck on the knee!", late: 1430, ask: true}},
	{wait: 22, who: "Zoe", robot: tiago, text: "You got it! You really got it!", decision: "hands Zoe the balloon",
		answer: "Here you are. Hold it tight.", mood: mood{"happiness", 0.94, 0.96}, heard: sure(ari, 320)},
	{wait: 17, who: "Anton", robot: lumen, text: "What is the soup today?", decision: "tells the soup of the day",
		answer: "Pumpkin, with ginger.", heard: heard{robot: tiago, text: "What is the shoe today?", late: 1490}},
	{wait: 19, who: "Beatriz", robot: ari, text: "I am waiting for a friend who is late.", decision: "offers to watch for her friend",
		answer: "Tell me what she wears, and I will watch the gate.", heard: unsure(lumen, 560)},
	{wait: 18, who: "Cem", robot: tiago, text: "Can you carry this tray?", decision: "carries the tray",
		answer: "With care. Which table?", heard: unsure(ari, 400), also: unsure(lumen, 520)},
	{wait: 21, who: "Daria", robot: lumen, text: "There is a wasp on my cake.", decision: "brings a cover",
		answer: "I bring a cover at once.", mood: mood{"fear", 0.69, 0.77}, heard: heard{robot: ari, text: "There is a clasp on my cape.", late: 1830, ask: true}},
	{wait: 17, who: "Emil", robot: ari, text: "Where do the buses to the station leave?", decision: "shows the bus stop",
		answer: "From the gate, every ten minutes.", heard: sure(tiago, 2900)},
	{wait: 20, who: "Fatou", robot: tiago, text: "I would like to buy the poster of the boats.", decision: "fetches a poster",
		answer: "I will fetch one from the shop.", heard: sure(lumen, 580)},
	{wait: 18, who: "Gabriel", robot: lumen, text: "May my dog come in here?", decision: "welcomes the dog",
		answer: "In the courtyard, yes. I bring it some water.", heard: unsure(tiago, 3200)},
	{wait: 19, who: "Hana", robot: ari, text: "Does the fountain run in winter too?", decision: "answers about the fountain",
		answer: "Only until the first frost.", heard: heard{robot: lumen, who: noName, late: 540}},
	{wait: 22, who: "Igor", robot: tiago, text: "I seem to have lost my ticket for the cloakroom.", decision: "helps Igor find his coat",
		answer: "No harm done. Describe your coat to me.", heard: unsure(ari, 470)},
	{wait: 18, who: "Jana", robot: lumen, text: "Somebody left a scarf on this chair.", decision: "keeps the scarf",
		answer: "Thank you. I take it to the desk.", heard: unsure(ari, 600)},
	{wait: 20, who: "Leila", robot: lumen, text: "The sun is too strong at our table.", decision: "opens a parasol",
		answer: "I open the parasol for you.", heard: heard{robot: ari, who: "Layla", late: 500}},
	{wait: 21, who: "Kofi", robot: ari, text: "Which picture do you like best yourself?", decision: "names a picture",
		answer: "The Lighthouse. It has a story now.", mood: mood{"surprise", 0.61, 0.74}, heard: sure(tiago, 350)},
}}
