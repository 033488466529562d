import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchUserInput } from './api/idle-detection.ts'
import { createQueryClient } from './api/queries.ts'
import { followSchedule } from './api/schedule.ts'
import { beforeReplacement, replacements } from './api/session.ts'
import { ConfirmHost } from './components/confirm.tsx'
import { useStore } from './lib/store.ts'
import { router } from './router.tsx'
import { resolveVariables, theme } from './theme.ts'

// The Content-Security-Policy of the page allows styles that are created at runtime by this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
setNonce(nonce)

watchUserInput(window)

const root = document.getElementById('root')
if (!root) throw new Error('the page has no #root')
const client = createQueryClient()
followSchedule(client)
beforeReplacement(() => router.navigate({ to: '/dashboard', replace: true }))

/** Mounted anew for another operator. */
function Pages() {
  return <RouterProvider key={useStore(replacements)} router={router} />
}

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={client}>
        <Notifications position="bottom-right" />
        <Pages />
        <ConfirmHost />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
