import { Anchor, Box, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import {
  DEFAULT_GUIDE_LANGUAGE,
  GUIDE_LANGUAGES,
  type GuideLanguage,
} from '@recordhub/protocol/constants'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useMemo } from 'react'
import { guidePath, guideQuery } from '../../api/guide.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedPlatform } from '../../components/removed-platform.tsx'
import { useUrlState } from '../../lib/url-state.ts'
import classes from './guide.module.css'
import { GuideContents, showSection } from './guide-contents.tsx'
import { GuideDocument } from './guide-document.tsx'
import { isLanguage, splitGuide } from './split-guide.ts'
import { TEXTS } from './texts.tsx'

const ANY = 'any'

/** The integration guide for the owners of platforms. */
export function GuidePage() {
  const [{ platform, section, language: requested }, change] = useUrlState()
  const [remembered, remember] = useLocalStorage<GuideLanguage>({
    key: 'recordhub-guide-language',
    defaultValue: DEFAULT_GUIDE_LANGUAGE,
    getInitialValueInEffect: false,
  })
  const savedLanguage = isLanguage(remembered) ? remembered : DEFAULT_GUIDE_LANGUAGE
  const language = isLanguage(requested) ? requested : savedLanguage
  const guide = useQuery(guideQuery(platform, language))
  const platforms = usePlatforms()
  const markdown = guide.data?.markdown
  const split = useMemo(() => (markdown ? splitGuide(markdown) : null), [markdown])
  // Scrolls to the section of a link when the guide is first shown. Later this would move the focus of the user.
  const isShown = split !== null
  useLayoutEffect(() => {
    if (isShown && section) showSection(section)
  }, [isShown, section])

  const failed = <ErrorNotice error={guide.error} onRetry={() => void guide.refetch()} />

  function choose(chosen: GuideLanguage): void {
    remember(chosen)
    change({ language: chosen }, { replace: true })
  }

  return (
    <>
      <PageHeader
        title={split?.title || TEXTS.integrationGuide}
        description={
          <span className={classes['controls']}>
            {TEXTS.guideDescription(
              <Anchor href="/docs" underline="always">
                {TEXTS.apiReference}
              </Anchor>,
            )}
          </span>
        }
      />
      <Group className={classes['controls']} align="flex-end" justify="space-between" mb="lg">
        <Group align="flex-end">
          <Select
            label={TEXTS.platform}
            w={280}
            maw="100%"
            data={[
              { value: ANY, label: TEXTS.anyPlatform },
              ...(platforms.data ?? []).map(({ id, display_title }) => ({
                value: String(id),
                label: display_title,
              })),
            ]}
            value={platform ?? ANY}
            onChange={(value) => change({ platform: value === ANY ? null : value })}
            allowDeselect={false}
            searchable
            error={platforms.isError ? TEXTS.couldNotLoadPlatforms : undefined}
          />
          <Select
            label={TEXTS.languageOfExamples}
            w={200}
            maw="100%"
            data={Object.entries(GUIDE_LANGUAGES).map(([value, label]) => ({ value, label }))}
            value={language}
            onChange={(value) => isLanguage(value) && choose(value)}
            allowDeselect={false}
          />
        </Group>
        <Group gap="xs">
          <CopyButton
            value={markdown ?? null}
            label={TEXTS.copyAsMarkdown}
            text={TEXTS.copyAsMarkdown}
          />
          <Button
            component="a"
            href={guidePath(platform, language)}
            download={guide.data?.file_name ?? 'integration-guide.md'}
            variant="default"
            size="xs"
            leftSection={<IconDownload size={16} />}
          >
            {TEXTS.download}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPrinter size={16} />}
            onClick={() => window.print()}
          >
            {TEXTS.print}
          </Button>
        </Group>
      </Group>
      {guide.isError &&
        (platform === undefined ? (
          failed
        ) : (
          <RemovedPlatform platform={{ platform_id: platform }} otherwise={failed} />
        ))}
      {guide.isPending && <GuideSkeleton />}
      {split && (
        <div className={classes['layout']}>
          <GuideDocument guide={split} language={language} onChoose={choose} />
          <Box component="aside" className={classes['aside']} aria-label={TEXTS.contents}>
            <Text size="xs" c="dimmed" fw={600} mb={4} px="sm" aria-hidden>
              {TEXTS.onThisPage}
            </Text>
            <GuideContents sections={split.sections} current={section ?? split.sections[0]?.id} />
          </Box>
        </div>
      )}
    </>
  )
}

function GuideSkeleton() {
  return (
    <Stack maw={860} aria-busy="true" aria-label={TEXTS.loading}>
      <Skeleton height={20} width="60%" />
      <Skeleton height={28} width={220} mt="lg" />
      <Skeleton height={60} />
      <Skeleton height={220} />
      <Skeleton height={28} width={220} mt="lg" />
      <Skeleton height={320} />
    </Stack>
  )
}
