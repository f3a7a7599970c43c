// Package foxglove reads messages of a robot from a server of Foxglove's WebSocket protocol, such as foxglove_bridge.
// Both subprotocols are offered: the SDK's and that of older bridges, which are the same for a reader.
//
// The protocol has no sequence numbers, and a server drops what a slow reader does not take. So only wanted topics are
// subscribed, and a handler must return at once.
package foxglove

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/segraph/segraph/robot/message"
)

const (
	maxFrame       = 16 << 20 // bytes
	maxDefinitions = 64 << 20 // bytes of the definitions and topics of a connection
	pingEvery      = 10 * time.Second
	opMessageData  = 1
)

// Handler takes what a server sends.
type Handler struct {
	Connected func(server string)                     // with the name of the server
	Channel   func(*message.Channel) (wanted bool)    // a topic is there
	Message   func(*message.Channel, message.Message) // of a wanted topic; it may keep the data
	Gone      func(*message.Channel)                  // a wanted topic has no more messages
	Warning   func(text string)                       // the server complains
}

// subprotocols are offered in this order. A server takes one.
var subprotocols = []string{"foxglove.sdk.v1", "foxglove.websocket.v1"}

// connection is the state of Read.
type connection struct {
	*websocket.Conn
	h             Handler
	channels      map[uint64]*message.Channel // by the server's ids
	subscriptions map[uint32]*message.Channel // by ours
	ids           map[uint64]uint32           // our id of a subscribed channel
	next          uint32
	size          int
}

// Read connects to a server and reads until the connection ends, which is always an error. header is sent with the
// request. client may be nil. A goroutine pings the server, and ends the connection if there is no answer.
func Read(ctx context.Context, url string, header http.Header, client *http.Client, h Handler) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dialing, stop := context.WithTimeout(ctx, pingEvery)
	ws, _, err := websocket.Dial(dialing, url, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header, Subprotocols: subprotocols})
	stop()
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", url, err)
	}
	defer ws.CloseNow()
	if ws.Subprotocol() == "" {
		return fmt.Errorf("connecting to %s: the server speaks neither %s nor %s", url, subprotocols[0], subprotocols[1])
	}
	ws.SetReadLimit(maxFrame)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				cancel(fmt.Errorf("panic: %v", value))
			}
		}()
		cancel(ping(ctx, ws))
	}()
	c := &connection{ws, h, map[uint64]*message.Channel{}, map[uint32]*message.Channel{}, map[uint64]uint32{}, 0, 0}
	for {
		kind, data, err := ws.Read(ctx)
		if err == nil && kind == websocket.MessageBinary {
			c.binary(data)
		} else if err == nil {
			err = c.text(ctx, data)
		}
		if err != nil {
			return fmt.Errorf("reading from %s: %w", url, errors.Join(err, context.Cause(ctx)))
		}
	}
}

// ping returns an error once the server does not answer.
func ping(ctx context.Context, ws *websocket.Conn) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pingEvery):
		}
		limited, stop := context.WithTimeout(ctx, pingEvery)
		err := ws.Ping(limited)
		stop()
		if err != nil {
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

// advertised is a topic that the server offers.
type advertised struct {
	ID                                                  uint64
	Topic, Encoding, SchemaName, Schema, SchemaEncoding string
}

// text takes a message in JSON.
func (c *connection) text(ctx context.Context, data []byte) error {
	var m struct {
		Op, Name, Message string
		Level             int
		ChannelIDs        []uint64 `json:"channelIds"`
		Channels          []advertised
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("a message that is no JSON: %w", err)
	}
	switch m.Op {
	case "serverInfo":
		c.h.Connected(m.Name)
	case "status":
		if m.Level > 0 {
			c.h.Warning(m.Message)
		}
	case "unadvertise":
		for _, id := range m.ChannelIDs {
			c.forget(id)
		}
	case "advertise":
		return c.subscribe(ctx, m.Channels)
	}
	return nil
}

// forget takes a topic away that the server no longer offers.
func (c *connection) forget(id uint64) {
	ch := c.channels[id]
	if ch == nil {
		return
	}
	c.size -= sizeOf(ch)
	if c.subscriptions[c.ids[id]] != nil {
		c.h.Gone(ch)
	}
	delete(c.subscriptions, c.ids[id])
	delete(c.channels, id)
	delete(c.ids, id)
}

// subscribe asks for the messages of those topics that are wanted.
func (c *connection) subscribe(ctx context.Context, offered []advertised) error {
	var wanted []map[string]uint64
	for _, a := range offered {
		if c.channels[a.ID] != nil {
			continue
		}
		ch := &message.Channel{Topic: a.Topic, Type: message.Short(a.SchemaName), Encoding: a.Encoding, SchemaEncoding: a.SchemaEncoding, Schema: []byte(a.Schema)}
		if ch.SchemaEncoding == "" { // of older bridges
			ch.SchemaEncoding = map[string]string{"cdr": "ros2msg", "ros1": "ros1msg"}[ch.Encoding]
		}
		if c.size += sizeOf(ch); c.size > maxDefinitions {
			return fmt.Errorf("its topics have more than %d bytes of definitions", maxDefinitions)
		}
		if c.channels[a.ID] = ch; c.h.Channel(ch) {
			c.next++
			c.subscriptions[c.next], c.ids[a.ID] = ch, c.next
			wanted = append(wanted, map[string]uint64{"id": uint64(c.next), "channelId": a.ID})
		}
	}
	if wanted == nil {
		return nil
	}
	ask, err := json.Marshal(map[string]any{"op": "subscribe", "subscriptions": wanted})
	if err != nil {
		return err
	}
	return c.Write(ctx, websocket.MessageText, ask)
}

// sizeOf returns about how many bytes a channel takes.
func sizeOf(c *message.Channel) int { return len(c.Topic) + len(c.Schema) + 100 }

// binary takes a message of a topic. Others are ignored.
func (c *connection) binary(data []byte) {
	if len(data) < 13 || data[0] != opMessageData {
		return
	}
	if ch := c.subscriptions[binary.LittleEndian.Uint32(data[1:])]; ch != nil {
		c.h.Message(ch, message.Message{Log: time.Unix(0, int64(binary.LittleEndian.Uint64(data[5:]))).UTC(), Data: data[13:]})
	}
}
