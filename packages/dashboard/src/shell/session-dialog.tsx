import { Text } from '@mantine/core'
import { useEffect } from 'react'
import { renewSession, session } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { SignInForm } from '../components/sign-in-form.tsx'
import { useStore } from '../lib/use-store.ts'

/** Above whatever is open. */
const Z_INDEX = 10_000
/** Whoever finds the screen must not read what was open. */
const HIDING = { color: 'var(--mantine-color-body)', backgroundOpacity: 1 }

/** Covers the page when the session has ended. What was under way goes on after the sign-in. */
export function SessionDialog({ hasEnded }: { hasEnded: boolean }) {
  const { operator } = useStore(session)
  useEffect(() => {
    if (!hasEnded) return
    // Somebody who comes back to this tab may have signed in in another one.
    const look = () => void renewSession()
    window.addEventListener('focus', look)
    return () => window.removeEventListener('focus', look)
  }, [hasEnded])
  return (
    <Dialog
      opened={hasEnded}
      staysOpen
      onClose={() => undefined}
      withCloseButton={false}
      title="Your session has ended"
      zIndex={Z_INDEX}
      overlayProps={HIDING}
      centered
    >
      <Text size="sm" c="dimmed" mb="md">
        Sign in again to go on where you were. Nothing that you typed is lost.
      </Text>
      <SignInForm
        email={operator?.email ?? ''}
        next={null}
        onSignedIn={async () => void (await renewSession())}
      />
    </Dialog>
  )
}
