import { Skeleton, Text } from '@mantine/core'
import { lazy, Suspense, useEffect } from 'react'
import { renewSession, session } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { useStore } from '../lib/use-store.ts'

/** Above whatever is open. */
const Z_INDEX = 10_000
/** Whoever finds the screen must not read what was open. */
const HIDING = { color: 'var(--mantine-color-body)', backgroundOpacity: 1 }
/** Most pages never need it. */
const SignInForm = lazy(() =>
  import('../components/sign-in-form.tsx').then((file) => ({ default: file.SignInForm })),
)

/** Lies over the page when the session has ended; what was under way goes on after the sign-in. */
export function SessionDialog() {
  const { hasEnded, operator } = useStore(session)
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
      <Suspense fallback={<Skeleton height={220} />}>
        <SignInForm
          email={operator?.email ?? ''}
          next={null}
          onSignedIn={async () => void (await renewSession())}
        />
      </Suspense>
    </Dialog>
  )
}
