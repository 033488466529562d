import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../../../api/account.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCode } from '../../../lib/format.ts'
import { ROLE_DESCRIPTIONS } from '../../../lib/roles.ts'
import { LinesSkeleton, SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'

/** The account of the signed-in operator. */
export function AccountTab() {
  const found = useQuery(accountQuery())
  const error = errorInPlaceOfData(found)
  if (error) return <ErrorNotice error={error} onRetry={() => found.refetch()} />
  if (!found.data) return <LinesSkeleton lines={8} />
  const { account } = found.data
  return (
    <Stack maw={860}>
      <SettingsSection
        title={account.name}
        description={account.name === account.email ? undefined : account.email}
      >
        <Group gap="xs">
          <Badge variant="light" tt="none">
            {formatCode(account.role)}
          </Badge>
          {account.single_sign_on && (
            <Badge variant="light" color="gray" tt="none">
              {TEXTS.singleSignOn}
            </Badge>
          )}
          {account.second_factor && (
            <Badge variant="light" color="green" tt="none">
              {TEXTS.twoFactor}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {ROLE_DESCRIPTIONS[account.role]}{' '}
          {account.role === 'admin' ? TEXTS.anotherAdminChangesRole : TEXTS.adminChangesRole}
        </Text>
      </SettingsSection>
      {account.has_password && <PasswordSection />}
      <SecondFactorSection account={account} />
      <PasskeysSection />
      <OwnSessions />
    </Stack>
  )
}
