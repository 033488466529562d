import '@mantine/core/styles.css'
import './theme.css'
import { MantineProvider } from '@mantine/core'
import { setNonce } from 'get-nonce'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { resolveVariables, theme } from './theme.ts'

/** Renders one of the two documents: with a session (main.tsx), or without (sign-in.tsx). */
export function renderPage(content: ReactNode): void {
  // The Content-Security-Policy of the page allows styles that are created at runtime by this nonce.
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
  setNonce(nonce)
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no #root')
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={resolveVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        {content}
      </MantineProvider>
    </StrictMode>,
  )
}
