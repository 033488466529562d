/** The code of an error of the system, such as ENOENT; "" for an error without a code. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
