import { Anchor, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { renewSession, session } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { SignInForm } from '../components/sign-in-form.tsx'
import { useStore } from '../lib/store.ts'
import { TEXTS } from '../texts.ts'

/** Above all other dialogs. */
const Z_INDEX = 10_000
/** Hides the page, because the operator may have left the screen. */
const HIDING = { color: 'var(--mantine-color-body)', backgroundOpacity: 1 }

/** Covers the page when the session has ended. Pending requests continue after the sign-in. */
export function SessionDialog({ hasEnded }: { hasEnded: boolean }) {
  const { operator } = useStore(session)
  useEffect(() => {
    if (!hasEnded) return
    // The operator may have signed in in another tab.
    const refresh = () => void renewSession()
    window.addEventListener('focus', refresh)
    return () => window.removeEventListener('focus', refresh)
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
    >
      <SignInForm
        email={operator?.email ?? ''}
        next={null}
        frame={({ description, content }) => (
          <Stack>
            <Text size="sm" c="dimmed">
              {description ??
                'Sign in again to continue where you left off. Your input is not lost.'}
            </Text>
            {content}
            <Anchor href="/sign-in" size="sm" c="dimmed">
              {TEXTS.signOut}
            </Anchor>
          </Stack>
        )}
        onSignedIn={async () => void (await renewSession())}
      />
    </Dialog>
  )
}
