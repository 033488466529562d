import { Alert, Badge, Button, Code, Group, Progress, Stack, Text } from '@mantine/core'
import type { Backup, BackupRun, BackupsResponse, DrillReport } from '@recordhub/protocol'
import { IconDatabaseExport } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { backupsQuery, backupUrl, startBackup, startDrill } from '../../api/backups.ts'
import { attempt } from '../../components/confirm.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Time } from '../../components/time.tsx'
import { formatBytes, formatCount, formatNumber } from '../../lib/format.ts'
import { scheduleLabel } from '../../lib/settings-labels.ts'
import { Facts } from './facts.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'
import { TEXTS } from './texts.tsx'

const column = columnsFor<Backup>()

/** Backups: start, progress, download, list, and restore drills. */
export function BackupsTab() {
  const client = useQueryClient()
  const found = useQuery(backupsQuery())
  const data = found.data
  const isRunning = data?.run?.state === 'running'
  return (
    <Stack maw={1000}>
      <SettingsSection
        title={TEXTS.backups}
        description={TEXTS.backupsDescription}
        action={
          <Button
            disabled={!data || isRunning}
            onClick={() => void attempt(() => startBackup(client))}
          >
            {TEXTS.backUpNow}
          </Button>
        }
      >
        {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
        {found.isPending && <LinesSkeleton lines={4} />}
        {data && <Settings data={data} />}
        {data?.run && <RunNotice run={data.run} />}
        {data?.drill && <DrillNotice drill={data.drill} />}
      </SettingsSection>
      {data && (
        <SettingsSection title={TEXTS.backupFiles} description={TEXTS.drillDescription}>
          <BackupTable backups={data.backups} isRunning={isRunning} />
        </SettingsSection>
      )}
    </Stack>
  )
}

function Settings({ data }: { data: BackupsResponse }) {
  const { schedule, next_at, keep, folder, encrypts, secret_fingerprint } = data
  return (
    <Facts
      label={TEXTS.backups}
      facts={[
        [
          TEXTS.schedule,
          schedule === null ? (
            TEXTS.noBackupSchedule
          ) : (
            <span key="schedule">
              {scheduleLabel(schedule)} <Code>{schedule}</Code>
            </span>
          ),
        ],
        ...(next_at === null
          ? []
          : [
              [TEXTS.nextBackup, <Time key="next" at={next_at} />] satisfies [
                string,
                React.JSX.Element,
              ],
            ]),
        [TEXTS.scheduledBackupsKept, keep === 0 ? TEXTS.all : formatNumber(keep)],
        [TEXTS.folder, <Code key="folder">{folder}</Code>],
        [TEXTS.encryption, encrypts ? TEXTS.encryptedWithPassphrase : TEXTS.notEncrypted],
        [TEXTS.secretFingerprint, <Code key="secret">{secret_fingerprint}</Code>],
      ]}
    />
  )
}

function RunNotice({ run }: { run: BackupRun }) {
  const { operation, state, phase, percent, error, finished_at } = run
  const isDrill = operation === 'drill'
  if (state === 'failed') {
    return (
      <Alert color="red" title={isDrill ? TEXTS.drillFailed : TEXTS.backupFailed} role="alert">
        {error}
      </Alert>
    )
  }
  if (state === 'succeeded') {
    return isDrill ? null : (
      <Alert color="green" title={TEXTS.backupComplete}>
        {TEXTS.backupVerified(run.file, <Time at={finished_at ?? run.started_at} />)}
      </Alert>
    )
  }
  const label = TEXTS.backupPhases[phase]
  return (
    <Stack gap={4} role="status">
      <Text size="sm">{percent === null ? `${label}…` : `${label}: ${percent} %`}</Text>
      <Progress
        value={percent ?? 100}
        animated
        striped={percent === null}
        aria-label={isDrill ? TEXTS.restoreDrill : TEXTS.backup}
      />
    </Stack>
  )
}

function DrillNotice({ drill }: { drill: DrillReport }) {
  const { passed, file, records, equal, changed_since, deleted_since, different, absent } = drill
  const counts: [string, number][] = [
    [TEXTS.recordsInBackup, records],
    [TEXTS.equalRecords, equal],
    [TEXTS.changedSince, changed_since],
    [TEXTS.deletedSince, deleted_since],
    [TEXTS.differentRecords, different],
    [TEXTS.absentRecords, absent],
  ]
  return (
    <Alert
      color={passed ? 'green' : 'red'}
      title={passed ? TEXTS.drillPassed : TEXTS.drillFoundDifferences}
      role="status"
    >
      <Text size="sm" mb="xs">
        {TEXTS.drillOf(file, <Time at={drill.finished_at} />)}
      </Text>
      <Facts
        label={TEXTS.restoreDrill}
        facts={counts.map(([name, count]) => [name, formatNumber(count)])}
      />
    </Alert>
  )
}

function BackupTable({ backups, isRunning }: { backups: Backup[]; isRunning: boolean }) {
  const client = useQueryClient()
  return (
    <ListTable
      label={TEXTS.backupFiles}
      rows={backups}
      idOf={({ file }) => file}
      empty={
        <EmptyState icon={<IconDatabaseExport />} title={TEXTS.noBackupsYet}>
          {TEXTS.noBackupsYetHint}
        </EmptyState>
      }
      columns={[
        column.of(TEXTS.backup, ({ file, info }) => (
          <>
            {info && (
              <Group gap="xs">
                <Time at={info.created_at} />
                {info.encrypted && (
                  <Badge variant="light" tt="none">
                    {TEXTS.encrypted}
                  </Badge>
                )}
              </Group>
            )}
            <Below>{file}</Below>
          </>
        )),
        column.of(TEXTS.size, ({ bytes }) => formatBytes(bytes), { width: 90, phone: 'end' }),
        column.of(
          TEXTS.content,
          ({ info, problem }) =>
            info
              ? `${formatCount(info.tables['records'] ?? 0, 'record')}, ${formatCount(info.tables['platforms'] ?? 0, 'platform')}`
              : problem,
          { width: 200, phone: 'line' },
        ),
        column.actions(
          TEXTS.actions,
          ({ file, info }) => (
            <Group gap="xs" justify="flex-end" wrap="nowrap">
              <Button
                size="xs"
                variant="default"
                component="a"
                href={backupUrl(file)}
                download={file}
                aria-label={TEXTS.downloadBackup(file)}
              >
                {TEXTS.download}
              </Button>
              <Button
                size="xs"
                variant="default"
                disabled={isRunning || info === null}
                aria-label={TEXTS.drillBackup(file)}
                onClick={() => void attempt(() => startDrill(client, file))}
              >
                {TEXTS.testRestore}
              </Button>
            </Group>
          ),
          { width: 220, phone: 'line' },
        ),
      ]}
    />
  )
}
