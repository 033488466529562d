import { HubError } from '../../errors.ts'
import type { WriteRejection } from '../../storage/port/record-store.ts'

/** Why a read ends whose writes are refused one and all. */
export function toAbortError(code: WriteRejection): HubError {
  return new HubError(code === 'module_not_registered' ? 'pulled_no_more' : code)
}
