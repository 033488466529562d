import { Button, Group, Select, TextInput } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { auditQuery } from '../../api/settings.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { AUDIT_ACTIONS, actionLabel } from '../../lib/audit-labels.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { AuditTable } from './audit-table.tsx'
import { LinesSkeleton, SettingsSection } from './settings-section.tsx'
import { TEXTS } from './texts.tsx'

/** The audit log, with filters and export. */
export function AuditTab() {
  const [{ actor = '', action = '', target = '' }, change] = useUrlState()
  const filters = withoutEmpty({ actor, action, target })
  const found = useInfiniteQuery(auditQuery(filters))
  const entries = found.data?.pages.flatMap(({ audit }) => audit)
  const isFiltered = Object.keys(filters).length > 0
  return (
    <SettingsSection title={TEXTS.auditLog} description={TEXTS.auditLogDescription}>
      <Group align="flex-end" gap="sm">
        <TextInput
          key={`actor ${actor}`}
          label={TEXTS.user}
          placeholder="ann@example.org"
          defaultValue={actor}
          onBlur={({ currentTarget }) => change({ actor: currentTarget.value.trim() })}
          onKeyDown={({ key, currentTarget }) =>
            key === 'Enter' && change({ actor: currentTarget.value.trim() })
          }
        />
        <Select
          label={TEXTS.action}
          placeholder={TEXTS.all}
          clearable
          searchable
          data={AUDIT_ACTIONS.map((value) => ({ value, label: actionLabel(value) }))}
          value={action === '' ? null : action}
          onChange={(value) => change({ action: value })}
        />
        <TextInput
          key={`target ${target}`}
          label={TEXTS.target}
          defaultValue={target}
          onBlur={({ currentTarget }) => change({ target: currentTarget.value.trim() })}
          onKeyDown={({ key, currentTarget }) =>
            key === 'Enter' && change({ target: currentTarget.value.trim() })
          }
        />
        {isFiltered && (
          <Button
            variant="subtle"
            onClick={() => change({ actor: null, action: null, target: null })}
          >
            {TEXTS.clearFilters}
          </Button>
        )}
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button
            key={format}
            variant="default"
            component="a"
            href={`/api/v1/audit/export?${new URLSearchParams({ ...filters, format })}`}
            download
          >
            {TEXTS.exportAs(format.toUpperCase())}
          </Button>
        ))}
      </Group>
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={8} />}
      {entries?.length === 0 && (
        <EmptyState
          icon={<IconHistory />}
          title={isFiltered ? TEXTS.noMatchingEntries : TEXTS.noEntriesYet}
        >
          {isFiltered ? TEXTS.noMatchingEntriesHint : TEXTS.noEntriesYetHint}
        </EmptyState>
      )}
      {entries && entries.length > 0 && <AuditTable entries={entries} />}
      {found.hasNextPage && (
        <Group justify="center">
          <Button
            variant="default"
            loading={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            {TEXTS.showOlder}
          </Button>
        </Group>
      )}
    </SettingsSection>
  )
}

/** Removes empty filters. */
function withoutEmpty(filters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}
