import { Alert, Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { IconPlugConnectedX, IconSearch } from '@tabler/icons-react'
import { type FormEvent, useEffect, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import { HubLane } from './hub-lane.tsx'
import { PlatformLane } from './platform-lane.tsx'
import { progressLabel, sortLanes } from './search-lanes.ts'
import { TEXTS } from './texts.ts'
import { useSearch } from './use-search.ts'

/** Searches the records of the hub and the search endpoint of each platform. */
export function SearchPage() {
  const [{ query = '' }, change] = useUrlState()
  const [text, setText] = useState(query)
  const [attempt, setAttempt] = useState(0)
  const { state, error } = useSearch(query.trim(), attempt)
  useEffect(() => setText(query), [query])
  const isSearching = query !== '' && error === null && state.progress === 'searching'

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() === query) setAttempt(attempt + 1)
    else change({ query: text.trim() })
  }

  return (
    <>
      <PageHeader title={TEXTS.search} description={TEXTS.searchDescription} />
      <search>
        <form onSubmit={submit}>
          <Group gap="sm" align="flex-end" mb="lg">
            <TextInput
              label={TEXTS.keywordOrPerson}
              placeholder={TEXTS.queryPlaceholder}
              size="md"
              flex={1}
              miw={220}
              maxLength={256}
              data-autofocus
              leftSection={<IconSearch size={18} />}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" size="md" disabled={text.trim() === ''}>
              {TEXTS.search}
            </Button>
          </Group>
        </form>
      </search>
      {query === '' ? (
        <EmptyState icon={<IconSearch />} title={TEXTS.searchEverywhere}>
          {TEXTS.searchEverywhereHint}
        </EmptyState>
      ) : error !== null ? (
        <ErrorNotice error={error} onRetry={() => setAttempt(attempt + 1)} />
      ) : (
        <Stack gap="md">
          <Group gap="xs" role="status">
            {isSearching && <Loader size="xs" aria-hidden />}
            <Text size="sm" c="dimmed">
              {progressLabel(state)}
            </Text>
          </Group>
          {state.progress === 'interrupted' && (
            <Alert color="yellow" variant="light" icon={<IconPlugConnectedX />} role="alert">
              <Group justify="space-between" gap="sm">
                <Text size="sm">{TEXTS.interruptedHint}</Text>
                <Button size="xs" variant="default" onClick={() => setAttempt(attempt + 1)}>
                  {TEXTS.searchAgain}
                </Button>
              </Group>
            </Alert>
          )}
          <HubLane query={query} line={state.hub} isFinished={state.progress !== 'searching'} />
          {sortLanes(state.lanes).map((lane) => (
            <PlatformLane
              key={lane.platform_name}
              lane={lane}
              isFinished={state.progress === 'interrupted'}
            />
          ))}
        </Stack>
      )}
    </>
  )
}
