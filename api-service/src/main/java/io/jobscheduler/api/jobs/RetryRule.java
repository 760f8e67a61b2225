package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What a retry policy does about errors of some kinds. Of several rules the first that fits
 * decides.
 *
 * @param kinds error kinds, {@code *} for any characters: {@code http-5*}
 * @param action retry, dead or cancel
 * @param waits retry only: what replaces the policy's own
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RetryRule(
    @Schema(required = true, minItems = 1, maxItems = 20) List<String> kinds,
    @Schema(
            enumeration = {"retry", "dead", "cancel"},
            defaultValue = "retry")
        String action,
    @JsonUnwrapped @Nullable RetryWaits waits) {}
