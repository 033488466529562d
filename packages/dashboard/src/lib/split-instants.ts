/** A part of a message: text, or a timestamp (RFC 3339). */
type MessagePart = { text: string } | { at: string }

const INSTANTS = /(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** Splits a message at its timestamps, so that they can be shown in the viewer's time zone. */
export function splitInstants(message: string): MessagePart[] {
  return message
    .split(INSTANTS)
    .map((text) =>
      INSTANTS.test(text) && !Number.isNaN(Date.parse(text)) ? { at: text } : { text },
    )
}
