/* other_abi.c -- an artifact of an ABI version that no host knows. */
#include "ferrite_abi.h"

const fe_artifact *ferrite_artifact(void)
{
    static const fe_artifact artifact = {
        .abi_version = FE_ABI_VERSION + 41, .struct_bytes = sizeof artifact, .name = "later"};
    return &artifact;
}
