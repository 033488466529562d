import { Code, Divider, Text } from '@mantine/core'
import { useState } from 'react'
import { singleSignOnError } from '../../api/sign-in.ts'
import { FormError } from '../../components/form-error.tsx'
import { SignInAlternatives } from '../../components/sign-in-alternatives.tsx'
import { SignInForm } from '../../components/sign-in-form.tsx'
import { EntryFrame } from './entry-frame.tsx'

const query = new URLSearchParams(location.search)
/** The page to open after the sign-in; never another site. */
const next = /^\/dashboard(?:[/?#]|$)/.test(query.get('next') ?? '')
  ? (query.get('next') ?? '')
  : '/dashboard'
const failed = query.get('error')
/** An error of an earlier single sign-on. */
const initialError = failed === null ? '' : singleSignOnError(failed)

export function SignInPage() {
  // The hub says so in the document, so that the page shows nothing else before.
  if (document.querySelector('meta[name="operators"][content="none"]')) return <NoOperator />
  return (
    <SignInForm
      email=""
      next={next}
      error={initialError}
      frame={({ title, description, content }) => (
        <EntryFrame title={title} description={description ?? location.host}>
          {content}
        </EntryFrame>
      )}
      onSignedIn={async () => location.assign(next)}
    />
  )
}

/** Says where the link that creates the first operator is. */
export function NoOperator() {
  const [error, setError] = useState(initialError)
  return (
    <EntryFrame
      title="This hub has no operator yet"
      description="Open the one-time link that the hub printed when it started. It creates the first operator, an admin, or restores a backup."
    >
      <FormError message={error} />
      <div>
        <Text size="sm" fw={550} mb={8}>
          Look for this line{' '}
          <Text span inherit fw={400} c="dimmed">
            in the terminal or the log of the hub
          </Text>
        </Text>
        <Code block bd="1px solid var(--line)" bg="var(--sunken)">
          Create the first operator: …/setup#token=…
        </Code>
        <Text size="xs" c="dimmed" mt={8}>
          The hub prints it at each start until an operator exists. Then the link no longer works.
          On the machine of the hub, <Code>recordhub setup-link</Code> prints it again.
        </Text>
      </div>
      <SignInAlternatives
        next={next}
        passkeys={false}
        before={<Divider label="or" />}
        onResult={async () => undefined}
        onError={setError}
      />
    </EntryFrame>
  )
}
