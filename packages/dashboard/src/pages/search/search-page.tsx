import {
  Alert,
  Button,
  CloseButton,
  Group,
  Kbd,
  Loader,
  Menu,
  Paper,
  Text,
  TextInput,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconChevronDown, IconPlugConnectedX, IconSearch } from '@tabler/icons-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { usePlatforms } from '../../api/platforms.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import chips from '../../components/filter-chip.module.css'
import { FilterChip } from '../../components/filter-chip.tsx'
import { useTabTitle } from '../../components/page-header.tsx'
import { Section } from '../../components/section.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { HubHits } from './hub-hits.tsx'
import { PlatformLane } from './platform-lane.tsx'
import classes from './search.module.css'
import { modulesOf, progressLabel, type SearchState, sortLanes } from './search-lanes.ts'
import { useSearch } from './use-search.ts'

/** Searches the records of the hub and the search endpoint of each platform. */
export function SearchPage() {
  const [{ query = '' }, change] = useUrlState()
  const [text, setText] = useState(query)
  const [attempt, setAttempt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const { state, error, stop } = useSearch(query.trim(), attempt)
  const retry = () => setAttempt(attempt + 1)
  useEffect(() => setText(query), [query])
  useTabTitle(query === '' ? 'Search' : query)
  useHotkeys([['/', () => input.current?.focus()]])

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() === query) retry()
    else change({ query: text.trim(), record_type: null })
  }

  return (
    <>
      <VisuallyHidden component="h1">Search</VisuallyHidden>
      <search>
        <form onSubmit={submit}>
          <TextInput
            ref={input}
            aria-label="Keyword or person"
            placeholder="Name, reference or any word"
            classNames={{ input: classes['input'] ?? '' }}
            maxLength={256}
            autoFocus={query === ''}
            leftSection={<IconSearch size={18} aria-hidden />}
            rightSectionWidth={72}
            rightSection={
              <Group gap={4} wrap="nowrap">
                <Kbd aria-hidden visibleFrom="sm">
                  /
                </Kbd>
                <CloseButton
                  aria-label="Clear"
                  disabled={text === ''}
                  onClick={() => {
                    setText('')
                    input.current?.focus()
                  }}
                />
              </Group>
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </form>
      </search>
      {query === '' ? (
        <EmptyState icon={<IconSearch />} title="Search everywhere">
          Enter a keyword or the name of a person. Results of the hub appear immediately, results of
          the platforms as they arrive. The hub finds the beginnings of words in all values, and any
          part of names and references.
        </EmptyState>
      ) : (
        <>
          <Narrowing state={state} />
          {error !== null ? (
            <ErrorNotice error={error} onRetry={retry} />
          ) : (
            <div className={classes['lanes']}>
              <HubHits query={query} line={state.hub} isFinished={state.progress !== 'searching'} />
              <PlatformLanes state={state} onRetry={retry} onStop={stop} />
            </div>
          )}
        </>
      )}
    </>
  )
}

/** Narrows the found records to a module or platform. */
function Narrowing({ state }: { state: SearchState }) {
  const [{ record_type: chosenType, platform }, change] = useUrlState()
  const platforms = usePlatforms().data ?? []
  const modules = modulesOf(state.hub)
  const chosen = platforms.find(({ platform_name }) => platform_name === platform)
  return (
    <Group gap="0.375rem" my="sm">
      <FilterChip
        label="Everything"
        isPressed={chosenType === undefined}
        onClick={() => change({ record_type: null })}
      />
      {modules.map(({ record_type, label, count }) => (
        <FilterChip
          key={record_type}
          label={label}
          {...(count === null ? {} : { count: formatNumber(count) })}
          isPressed={chosenType === record_type}
          onClick={() => change({ record_type: chosenType === record_type ? null : record_type })}
        />
      ))}
      <Menu position="bottom-start" shadow="md">
        <Menu.Target>
          <UnstyledButton className={chips['chip'] ?? ''} aria-pressed={platform !== undefined}>
            {chosen?.display_title ?? platform ?? 'Platform'}
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
          <Menu.Item onClick={() => change({ platform: null })}>All platforms</Menu.Item>
          {platforms.map(({ platform_name, display_title }) => (
            <Menu.Item key={platform_name} onClick={() => change({ platform: platform_name })}>
              {display_title}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Text c="dimmed" ml="auto" visibleFrom="sm">
        accents and word order do not matter
      </Text>
    </Group>
  )
}

function PlatformLanes(props: { state: SearchState; onRetry: () => void; onStop: () => void }) {
  const { state, onRetry, onStop } = props
  const [{ platform }] = useUrlState()
  const platforms = usePlatforms().data ?? []
  const inactive = platforms.filter(({ status }) => status !== 'active')
  const lanes = sortLanes(state.lanes).filter(
    (lane) => platform === undefined || lane.platform_name === platform,
  )
  return (
    <Section
      title="Asked at the platforms"
      end={
        <>
          <Text c="dimmed" role="status">
            {progressLabel(state)}
          </Text>
          {state.progress === 'searching' && (
            <Group gap="xs" ml="auto">
              <Loader size={14} aria-hidden />
              <Button size="compact-sm" variant="default" onClick={onStop}>
                Stop
              </Button>
            </Group>
          )}
          {state.progress === 'stopped' && (
            <Button size="compact-sm" variant="default" ml="auto" onClick={onRetry}>
              Search again
            </Button>
          )}
        </>
      }
    >
      {state.progress === 'interrupted' && (
        <Alert color="orange" icon={<IconPlugConnectedX />} role="alert" mb="sm">
          <Group justify="space-between" gap="sm">
            <Text size="sm">The response was interrupted. The results so far are below.</Text>
            <Button size="xs" variant="default" onClick={onRetry}>
              Search again
            </Button>
          </Group>
        </Alert>
      )}
      {lanes.length + inactive.length > 0 && (
        <Paper withBorder aria-live="polite">
          {lanes.map((lane) => (
            <PlatformLane
              key={lane.platform_name}
              lane={lane}
              progress={state.progress}
              onRetry={onRetry}
            />
          ))}
          {inactive.length > 0 && (
            <p className={classes['foot']}>
              {inactive.map(({ display_title }) => display_title).join(', ')}{' '}
              {inactive.length === 1
                ? 'is inactive and is not asked.'
                : 'are inactive and not asked.'}
            </p>
          )}
        </Paper>
      )}
    </Section>
  )
}
