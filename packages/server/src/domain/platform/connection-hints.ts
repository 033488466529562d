import type { ErrorCode } from '../../errors.ts'

const ADVICE: Partial<Record<ErrorCode, string>> = {
  source_url_invalid:
    'Copy the address from a browser that shows the platform, up to and without /api.',
  source_key_invalid: 'Copy the key again: often a line break or a blank comes along with it.',
  platform_address_refused:
    'Use an address that the hub may reach. HUB_SOURCE_NETWORKS=any lets private networks through, HUB_SOURCE_SCHEMES=any plain http; addresses of cloud metadata never are.',
  platform_unreachable:
    'Likely a mistyped host or port, a platform that is not running, or a firewall. Try the address with curl on the machine of the hub.',
  platform_certificate_invalid:
    'Likely a certificate that has expired, is for another name, or comes from an authority of your own.',
  platform_timed_out:
    'Likely an overloaded platform, or a firewall that drops what the hub sends. For records, a database query without an index; a pull waits longer than this test.',
  platform_redirected:
    'Likely http:// where the platform wants https://, a missing www, or a sign-in page in the way.',
  platform_refused_key:
    'Ask the owner of the platform for the key that its hub endpoints expect. A proxy that drops the header X-PLATFORM-API-KEY looks the same.',
  platform_path_missing:
    'Likely the endpoint is not deployed yet, the routes are cached, or the base URL lacks a folder or has one too many.',
  platform_failed:
    'The platform broke while it answered. The log of the platform at this moment names the fault.',
  platform_throttled:
    'Likely a limit on calls a minute (in Laravel, the middleware throttle). Lift it for these paths or for the address of the hub, or try again later.',
  platform_not_json:
    'Likely a sign-in page, an error page, or the warning page of a tunnel. Open the path with curl and the header Accept: application/json.',
  platform_answer_invalid:
    'Compare the answer with the integration guide: names of members, their types, and that it is whole.',
  platform_reports_failure: 'The log of the platform at this moment names the fault.',
  platform_broke_off:
    'Likely a crash, a time limit or a memory limit while the platform built its answer.',
  platform_answer_too_large: 'An answer to a ping or a manifest has a few kilobytes.',
  platform_name_differs:
    'Likely the address of another installation, or a platform_name that was changed after it was registered.',
}

/** The likely cause of an error at a platform, and what to do about it; empty where there is nothing to add. */
export function connectionHint(code: ErrorCode): string {
  return ADVICE[code] ?? ''
}
