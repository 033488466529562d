import { Modal, Text } from '@mantine/core'
import { renewSession, session } from '../api/session.ts'
import { SignInForm } from '../components/sign-in-form.tsx'
import { useStore } from '../lib/use-store.ts'

/** Lies over the page when the session has ended; what was under way goes on after the sign-in. */
/** Above whatever is open. */
const Z_INDEX = 10_000

export function SessionDialog() {
  const { hasEnded, operator } = useStore(session)
  return (
    <Modal
      opened={hasEnded}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      zIndex={Z_INDEX}
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
    </Modal>
  )
}
