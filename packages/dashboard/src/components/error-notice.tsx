import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { HubCallError, wordsOf } from '../api/call-hub.ts'

/** What went wrong in words, with a way to try again where there is one. */
export function ErrorNotice({
  error,
  onRetry,
  title = 'This did not work',
}: {
  error: unknown
  onRetry?: () => void
  title?: string
}) {
  const requestId = error instanceof HubCallError ? error.requestId : null
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={title} role="alert">
      <Text size="sm">{wordsOf(error)}</Text>
      {(onRetry || requestId) && (
        <Group mt="xs" gap="md">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {requestId && <Text size="xs">Request {requestId}</Text>}
        </Group>
      )}
    </Alert>
  )
}
