import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { OWN_SESSIONS_PATH, ownSessionsQuery } from '../../../api/account.ts'
import { callHub } from '../../../api/call-hub.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { confirm, notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { SessionsTable } from '../sessions-table.tsx'
import { SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'

/** The sessions of the signed-in operator. */
export function OwnSessions() {
  const client = useQueryClient()
  const found = useQuery(ownSessionsQuery())
  const error = errorInPlaceOfData(found)
  const sessions = found.data?.sessions
  const others = sessions?.filter(({ current }) => !current).length ?? 0

  async function end(path: string, message: string): Promise<void> {
    await callHub(path, { method: 'DELETE' })
    await client.invalidateQueries(ownSessionsQuery())
    notify(message)
  }

  return (
    <SettingsSection
      title={TEXTS.sessions}
      description={TEXTS.sessionsDescription}
      action={
        others > 0 && (
          <Button
            variant="default"
            onClick={() =>
              confirm({
                title: TEXTS.endAllOthersTitle,
                children: TEXTS.endAllOthersMessage,
                action: TEXTS.endAllOthers,
                onConfirm: () => end(OWN_SESSIONS_PATH, TEXTS.otherSessionsEnded),
              })
            }
          >
            {TEXTS.endAllOthers}
          </Button>
        )
      }
    >
      {error ? (
        <ErrorNotice error={error} onRetry={() => found.refetch()} />
      ) : (
        <SessionsTable
          sessions={sessions}
          onEnd={({ id }) => end(`${OWN_SESSIONS_PATH}/${id}`, TEXTS.sessionHasEnded)}
        />
      )}
    </SettingsSection>
  )
}
