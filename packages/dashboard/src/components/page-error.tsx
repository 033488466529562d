import { useInterval } from '@mantine/hooks'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { HubCallError } from '../api/call-hub.ts'
import { isUnavailable } from '../api/retries.ts'
import { isHubReachable } from '../lib/load-page.ts'
import { attempt } from './confirm.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { PageHeader } from './page-header.tsx'

/**
 * Shown instead of a page that could not be loaded or rendered; the navigation stays. If the hub was unavailable, the page
 * reloads when the hub responds again.
 */
export function PageError({ error }: { error: unknown }) {
  const retry = () => {
    if (isUnavailable(error)) reloadPage().catch(() => undefined)
  }
  useInterval(retry, POLLING_INTERVAL_SECONDS * 1000, { autoInvoke: true })
  return (
    <>
      <PageHeader title="Could not load this page" />
      <ErrorNotice error={error} onRetry={() => void attempt(reloadPage)} />
    </>
  )
}

/** Browsers cache a failed module import, so only a full reload helps. */
async function reloadPage(): Promise<void> {
  // Without the hub, a reload would replace the page with an error of the browser.
  if (!(await isHubReachable())) throw new HubCallError(0, null)
  window.location.reload()
}
