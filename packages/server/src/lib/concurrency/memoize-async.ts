/** Loads when it is first asked, and keeps what came. A failure is not kept: whoever asks after it has it tried anew. */
export function memoizeAsync<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | null = null
  return () => {
    kept ??= load().catch((error: unknown) => {
      kept = null
      throw error
    })
    return kept
  }
}
