/** The document of the dashboard, at `/dashboard` and below. */
import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { watchUserInput } from './api/idle-detection.ts'
import { createQueryClient } from './api/queries.ts'
import { followSchedule } from './api/schedule.ts'
import { beforeReplacement, replacements } from './api/session.ts'
import { ConfirmHost } from './components/confirm.tsx'
import { useStore } from './lib/store.ts'
import { renderPage } from './render-page.tsx'
import { router } from './router.tsx'

watchUserInput(window)

const client = createQueryClient()
followSchedule(client)
beforeReplacement(() => router.navigate({ to: '/dashboard', replace: true }))

/** Mounted anew for another operator. */
function Pages() {
  return <RouterProvider key={useStore(replacements)} router={router} />
}

renderPage(
  <QueryClientProvider client={client}>
    <Notifications position="bottom-right" autoClose={8000} />
    <Pages />
    <ConfirmHost />
  </QueryClientProvider>,
)
