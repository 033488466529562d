/** A property that does not hold. */
export class ViolationError extends Error {}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ViolationError(message)
}
