import { constants } from 'node:os'

/** The code of an error of the system, such as ENOENT; "" for an error without a code. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}

/** Whether a file could not be written because the disk is full, or a quota is exceeded. */
export function isOutOfSpace(error: unknown): boolean {
  if (errorCodeOf(error) === 'ENOSPC') return true
  // Node.js has no code for an exceeded quota.
  return error instanceof Error && 'errno' in error && error.errno === -constants.errno.EDQUOT
}
