import { Alert, Button, Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { ConnectionCheck, Manifest, ProbeResponse } from '@recordhub/protocol'
import { trimTrailing } from '@recordhub/protocol/text'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { FormEvent } from 'react'
import { usePlatforms } from '../../../api/platforms.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { CheckList } from '../check-list.tsx'
import { ConformanceButton } from '../conformance/conformance-button.tsx'
import { TEXTS } from '../texts.tsx'
import { useConnectionChecks } from '../use-connection-checks.ts'

export type Source = { source_base_url: string; source_api_key: string }

/** The result of a successful connection test. */
export type Connected = {
  manifest: Manifest
  /** The reported number of records, by `record_type`. */
  totals: ReadonlyMap<string, number>
}

/** The first step: base URL, source API key and connection test. */
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
  const probe = (check_everything: boolean) =>
    void run('/api/v1/platforms/probe', { ...source, check_everything })
  const test = (event: FormEvent) => {
    event.preventDefault()
    probe(false)
  }
  const modules = result?.manifest?.modules ?? []
  const nameOf = (type: string) =>
    modules.find((one) => one.record_type === type)?.module_name ?? type
  return (
    <Stack>
      <form onSubmit={test}>
        <Stack>
          <Text size="sm" c="dimmed">
            {TEXTS.connectIntroduction(
              <PageLink to="/dashboard/guide" inherit underline="always">
                {TEXTS.integrationGuideLink}
              </PageLink>,
            )}
          </Text>
          <TextInput
            label={TEXTS.baseUrl}
            description={TEXTS.baseUrlHint}
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
              type="submit"
              variant={result?.success ? 'default' : 'filled'}
              loading={isRunning}
            >
              {result ? TEXTS.testAgain : TEXTS.testAndFetch}
            </Button>
            {result?.success && !isRunning && (
              <Button variant="default" onClick={() => probe(true)}>
                {TEXTS.checkEverything}
              </Button>
            )}
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
      </form>
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
  result: { success, manifest, checks, source_base_url },
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
  const same = platforms.data?.find((one) => one.platform_name === manifest?.platform_name)
  if (!success || !manifest) {
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
