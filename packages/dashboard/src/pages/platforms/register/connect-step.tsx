import {
  Alert,
  Button,
  Code,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import type { ConnectionCheck, Manifest, ProbeResponse } from '@recordhub/protocol'
import { trimTrailing } from '@recordhub/protocol/text'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { usePlatforms } from '../../../api/platforms.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { CheckList } from '../check-list.tsx'
import { ConformanceButton } from '../conformance/conformance-button.tsx'
import { TEXTS } from '../texts.tsx'
import { useConnectionChecks } from '../use-connection-checks.ts'

export type Source = { source_base_url: string; source_api_key: string }

/** How much of a platform is requested, by the button that requests it. */
const EXTENTS = { ping: { only_ping: true }, platformData: { check_everything: true } } as const

/** The fetched data of a platform. */
export type Connected = {
  manifest: Manifest
  /** The reported number of records, by `record_type`. */
  totals: ReadonlyMap<string, number>
}

/** The first step: base URL, source API key, connection test and the data of the platform. */
export function ConnectStep({
  source,
  onChange,
  onConnected,
}: {
  source: Source
  onChange: (source: Source) => void
  onConnected: (connected: Connected) => void
}) {
  const { checks, result, isRunning, error, run, clear } = useConnectionChecks<ProbeResponse>()
  const change = (over: Partial<Source>) => {
    onChange({ ...source, ...over })
    // The results do not apply to another address or key.
    clear()
  }
  const [extent, setExtent] = useState<keyof typeof EXTENTS>('platformData')
  const probe = (chosen: keyof typeof EXTENTS) => {
    setExtent(chosen)
    void run('/api/v1/platforms/probe', { ...source, ...EXTENTS[chosen] })
  }
  const fetchData = (event: FormEvent) => {
    event.preventDefault()
    probe('platformData')
  }
  const modules = result?.manifest?.modules ?? []
  const nameOf = (type: string) =>
    modules.find((one) => one.record_type === type)?.module_name ?? type
  return (
    <Stack>
      <Paper withBorder p="md" component="form" onSubmit={fetchData}>
        <Stack>
          <Text size="sm" c="dimmed">
            {TEXTS.connectIntroduction(
              <PageLink to="/dashboard/guide" inherit underline="always">
                {TEXTS.integrationGuideLink}
              </PageLink>,
            )}
          </Text>
          <TextInput
            label={TEXTS.sourceBaseUrl}
            description={TEXTS.sourceBaseUrlHint}
            placeholder="https://hr.example.org"
            type="url"
            inputMode="url"
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={source.source_base_url}
            onChange={({ currentTarget }) => change({ source_base_url: currentTarget.value })}
          />
          <PasswordInput
            label={TEXTS.sourceApiKey}
            description={TEXTS.sourceApiKeyDescription}
            required
            autoComplete="off"
            value={source.source_api_key}
            onChange={({ currentTarget }) => change({ source_api_key: currentTarget.value })}
          />
          <Group>
            <Button
              variant="default"
              loading={isRunning && extent === 'ping'}
              disabled={isRunning && extent !== 'ping'}
              onClick={({ currentTarget }) => {
                if (currentTarget.form?.reportValidity()) probe('ping')
              }}
            >
              {TEXTS.testConnection}
            </Button>
            <Button
              type="submit"
              variant={result?.success && result.manifest ? 'default' : 'filled'}
              loading={isRunning && extent === 'platformData'}
              disabled={isRunning && extent !== 'platformData'}
            >
              {TEXTS.fetchPlatformData}
            </Button>
            <Text size="sm" c="dimmed">
              Nothing is saved until you register.
            </Text>
            {result && !isRunning && (
              <ConformanceButton
                path="/api/v1/platforms/conformance"
                body={source}
                title={TEXTS.conformanceOfPlatform(
                  result.manifest?.platform_title ?? source.source_base_url,
                )}
              />
            )}
          </Group>
        </Stack>
      </Paper>
      {error !== null && <ErrorNotice error={error} />}
      {(checks.length > 0 || isRunning) && (
        <CheckList checks={checks} isRunning={isRunning} nameOf={nameOf} />
      )}
      {result && !isRunning && (
        <Outcome
          result={result}
          source={source}
          onConnected={onConnected}
          onUseUrl={(source_base_url) => onChange({ ...source, source_base_url })}
        />
      )}
    </Stack>
  )
}

function Outcome({
  result: { success, ping, manifest, checks, source_base_url },
  source,
  onConnected,
  onUseUrl,
}: {
  result: ProbeResponse
  source: Source
  onConnected: (connected: Connected) => void
  onUseUrl: (sourceBaseUrl: string) => void
}) {
  const platforms = usePlatforms()
  const name = manifest?.platform_name ?? ping?.platform_name
  const same = platforms.data?.find((one) => one.platform_name === name)
  if (!success || name === undefined) {
    return (
      <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={TEXTS.notConnectedYet}>
        {TEXTS.notConnectedYetHint}
      </Alert>
    )
  }
  if (same) {
    return (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconAlertTriangle />}
        title={TEXTS.alreadyRegistered}
      >
        {TEXTS.alreadyRegisteredHint(
          <PageLink
            to="/dashboard/platforms/$id"
            params={{ id: String(same.id) }}
            inherit
            underline="always"
          >
            {same.display_title}
          </PageLink>,
        )}
      </Alert>
    )
  }
  if (!manifest) {
    return (
      <Alert
        color="green"
        variant="light"
        icon={<IconCircleCheck />}
        title={TEXTS.connectionWorks}
        role="status"
      >
        {TEXTS.connectionWorksHint(name)}
      </Alert>
    )
  }
  const allPassed = checks.every((one) => one.ok)
  const entered = trimTrailing(source.source_base_url.trim(), '/')
  const isCorrected = source_base_url !== null && source_base_url !== entered
  return (
    <Alert
      color={allPassed ? 'green' : 'yellow'}
      variant="light"
      icon={allPassed ? <IconCircleCheck /> : <IconAlertTriangle />}
      title={`${manifest.platform_title} (${manifest.platform_name})`}
    >
      <Text size="sm">{manifest.platform_description}</Text>
      {!allPassed && (
        <Text size="sm" mt={4}>
          {TEXTS.canRegisterAnyway}
        </Text>
      )}
      {isCorrected && (
        <Text size="sm" mt={4}>
          {TEXTS.correctedBaseUrl(<Code>{source_base_url}</Code>)}
        </Text>
      )}
      <Group mt="sm" gap="xs">
        <Button onClick={() => onConnected({ manifest, totals: totalsOf(checks) })}>
          {TEXTS.selectModules}
        </Button>
        {isCorrected && (
          <Button variant="default" onClick={() => onUseUrl(source_base_url)}>
            {TEXTS.switchToUrl(source_base_url)}
          </Button>
        )}
      </Group>
    </Alert>
  )
}

const RECORDS = 'records/'

function totalsOf(checks: readonly ConnectionCheck[]): ReadonlyMap<string, number> {
  return new Map(
    checks.flatMap(({ check, total }) =>
      total !== null && check.startsWith(RECORDS) ? [[check.slice(RECORDS.length), total]] : [],
    ),
  )
}
