/**
 * Lossless JSON of an object, as `stringifyLossless` writes it: its text, or its UTF-8. New data stay bytes until the database
 * has them: texts that outlive a batch cost more to collect than to make.
 */
export type JsonText = string | Uint8Array

export function textOf(data: JsonText): string {
  if (typeof data === 'string') return data
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
}

/** A state whose data are text, for a decision that reads them. */
export function withText<State extends { data: JsonText }>(
  state: State,
): Omit<State, 'data'> & { data: string } {
  return { ...state, data: textOf(state.data) }
}
