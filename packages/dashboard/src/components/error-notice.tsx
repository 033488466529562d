import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { errorMessage, HubCallError } from '../api/call-hub.ts'
import { TEXTS } from '../texts.ts'

/** An error message, with a button to try again if `onRetry` is given. */
export function ErrorNotice(props: { error: unknown; onRetry?: () => void; title?: string }) {
  const { error, onRetry, title = TEXTS.somethingWentWrong } = props
  const requestId = error instanceof HubCallError ? error.requestId : null
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={title} role="alert">
      <Text size="sm">{errorMessage(error)}</Text>
      {(onRetry || requestId) && (
        <Group mt="xs" gap="md">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {requestId && <Text size="xs">{`Request ID: ${requestId}`}</Text>}
        </Group>
      )}
    </Alert>
  )
}
