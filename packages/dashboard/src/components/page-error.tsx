import { HubCallError } from '../api/call-hub.ts'
import { isHubThere } from '../lib/load-page.ts'
import { attempt } from './confirm.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { PageHeader } from './page-header.tsx'

/** Stands in the place of a page that could not be fetched or shown; the navigation around it stays. */
export function PageError({ error }: { error: unknown }) {
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
