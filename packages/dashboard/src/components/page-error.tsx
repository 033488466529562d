import { useInterval } from '@mantine/hooks'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol/constants'
import { HubCallError } from '../api/call-hub.ts'
import { isUnavailable } from '../api/retries.ts'
import { isHubThere } from '../lib/load-page.ts'
import { attempt } from './confirm.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { PageHeader } from './page-header.tsx'

/**
 * Stands in the place of a page that could not be fetched or shown; the navigation around it stays. Where the hub
 * was unavailable, the page is fetched again once it is back.
 */
export function PageError({ error }: { error: unknown }) {
  const tryAgain = () => {
    if (isUnavailable(error)) loadAnew().catch(() => undefined)
  }
  useInterval(tryAgain, POLLING_INTERVAL_SECONDS * 1000, { autoInvoke: true })
  return (
    <>
      <PageHeader title="This page cannot be shown" />
      <ErrorNotice error={error} onRetry={() => void attempt(loadAnew)} />
    </>
  )
}

/** Browsers keep what they failed to fetch, so that only the whole page can be fetched again. */
async function loadAnew(): Promise<void> {
  // Without the hub nothing would be left of the page.
  if (!(await isHubThere())) throw new HubCallError(0, null)
  window.location.reload()
}
