import { splitInstants } from '../lib/split-instants.ts'
import { Time } from './time.tsx'

/** A message of the hub, with its timestamps in the viewer's time zone. */
export function MessageText({ message }: { message: string }) {
  return splitInstants(message).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message have no other identity.
    'at' in part ? <Time key={index} at={part.at} /> : part.text,
  )
}
