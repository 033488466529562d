import { Anchor, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { rejectedPushPageQuery } from '../../api/rejected-pushes.ts'
import { errorInPlaceOfData } from '../../api/retries.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { ModuleTitle, PlatformTitle } from '../../components/module-title.tsx'
import { formatNumber } from '../../lib/format.ts'
import { referenceOf } from '../activity/rejected/advice.ts'
import { TEXTS } from './texts.tsx'

const SHOWN = 10

/** The first rejected records of a pull, with reference number and reason. Renders nothing if there are none. */
export function RejectedRecords({ pull: { id: pullId, finished_at } }: { pull: Pull }) {
  const query = `pull=${pullId}&limit=${SHOWN}`
  const page = useQuery(rejectedPushPageQuery(query, finished_at))
  const { data, refetch } = page
  const error = errorInPlaceOfData(page)
  if (error) {
    return <ErrorNotice error={error} onRetry={refetch} title={TEXTS.couldNotLoadRejected} />
  }
  const rejected = data?.rejected_pushes ?? []
  if (rejected.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={TEXTS.rejectedRecords}>
      <Group justify="space-between" mb="sm">
        <Title order={2} fz="md">
          {TEXTS.rejectedRecords}
        </Title>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              to="/dashboard/inbox"
              search={{ tab: 'rejected', pull: String(pullId), state: 'all' }}
              {...props}
            />
          )}
        >
          {TEXTS.allRejectedRecords}
        </Anchor>
      </Group>
      <Stack gap="sm" component="ul" p={0} m={0}>
        {rejected.map((one) => (
          <Stack key={one.id} gap={2} component="li">
            <Text size="sm">
              <Anchor
                fw={500}
                renderRoot={(props) => (
                  <Link
                    to="/dashboard/inbox"
                    search={{
                      tab: 'rejected',
                      pull: String(pullId),
                      state: 'all',
                      rejected: String(one.id),
                    }}
                    {...props}
                  />
                )}
              >
                {referenceLabel(one.body)}
              </Anchor>
              {' · '}
              <PlatformTitle platform={one.platform_name} />
              {' · '}
              <ModuleTitle platform={one.platform_name} recordType={one.record_type} />
              {one.count > 1 && TEXTS.times(formatNumber(one.count))}
            </Text>
            <Text size="sm">{one.message}</Text>
            <Code w="fit-content">{one.code}</Code>
          </Stack>
        ))}
      </Stack>
    </Paper>
  )
}

function referenceLabel(body: unknown): string {
  const reference = referenceOf(body)
  return reference === '—' ? TEXTS.noReferenceNumber : reference
}
