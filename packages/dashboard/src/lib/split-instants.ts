/** A message of the hub, or an instant (RFC 3339) in it. */
type MessagePart = { text: string } | { at: string }

const INSTANTS = /(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** Splits a message at its instants, so that they can be shown in the viewer's time zone. */
export function splitInstants(message: string): MessagePart[] {
  return message
    .split(INSTANTS)
    .map((text) =>
      INSTANTS.test(text) && !Number.isNaN(Date.parse(text)) ? { at: text } : { text },
    )
}
